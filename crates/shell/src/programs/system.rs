//! The machine itself: services, users, disks, processes; and our own program.

use super::super::effect::{Change, Nature};
use super::super::text::Field;
use super::call::Call;
use super::{Does, Operands, Row};

/// Programs of the system.
pub(super) const ROWS: &[Row] = &[
    Row::new("adduser", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("at", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("batch", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("capsh", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("chfn", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("chkconfig", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("chsh", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("claude", Nature::Unknown, "", Operands::Nothing),
    Row::new("codex", Nature::Unknown, "", Operands::Nothing),
    Row::new("cryptsetup", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("csrutil", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("defaults", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("deluser", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("dpkg-reconfigure", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("dscl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("fdisk", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("firewall-cmd", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("gemini", Nature::Unknown, "", Operands::Nothing),
    Row::new("git", Nature::Listed, "", Operands::Custom(super::git::git)),
    Row::new("gpg", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("groupadd", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("halt", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("hub", Nature::Listed, "", Operands::Custom(super::git::git)),
    Row::new("init", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("initctl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("insmod", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("iptables", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("journalctl", Nature::Reads, "u n p o S U since until", Operands::Nothing),
    Row::new("kill", Nature::Listed, "", Operands::Nothing),
    Row::new("killall", Nature::Listed, "", Operands::Nothing),
    Row::new("launchctl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("ldconfig", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("logger", Nature::Listed, "", Operands::Nothing),
    Row::new("loginctl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("losetup", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("mkfs", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("modprobe", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("mount", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("nft", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("notify-send", Nature::Listed, "", Operands::Nothing),
    Row::new("nvram", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("op", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("open", Nature::Listed, "", Operands::Nothing),
    Row::new("parted", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("pass", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("passwd", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("pbcopy", Nature::Listed, "", Operands::Nothing),
    Row::new("pbpaste", Nature::Reads, "", Operands::Nothing),
    Row::new("pkill", Nature::Listed, "", Operands::Nothing),
    Row::new("pmset", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("poweroff", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("rc-service", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("reboot", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("renice", Nature::Listed, "", Operands::Nothing),
    Row::new("reset", Nature::Listed, "", Operands::Nothing),
    Row::new("rmmod", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("say", Nature::Listed, "", Operands::Nothing),
    Row::new("sb", Nature::Listed, "", Operands::Nothing),
    Row::new("scutil", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("security", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("service", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("setcap", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("shutdown", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("skill", Nature::Listed, "", Operands::Nothing),
    Row::new("spctl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("ssh-add", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("ssh-copy-id", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("ssh-keygen", Nature::Listed, "t b C N P m", Operands::Nothing).with(&[("f", Does::Write)]),
    Row::new("stty", Nature::Listed, "", Operands::Nothing),
    Row::new("swapoff", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("swapon", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("sysctl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("systemctl", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("telinit", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("ufw", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("umount", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("update-alternatives", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("update-rc.d", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("useradd", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("userdel", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("usermod", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("vault", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("visudo", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("wipefs", Nature::Unknown, "", Operands::Custom(administration)),
    Row::new("xclip", Nature::Listed, "", Operands::Nothing),
    Row::new("xdg-open", Nature::Listed, "", Operands::Nothing),
];

/// What changes the machine itself. Asking for the state of things changes nothing.
fn administration(call: &mut Call<'_, '_>) -> Nature {
    let first = call.args.iter().map(Field::shown).find(|word| !word.starts_with('-')).unwrap_or_default();
    let asks = match call.name {
        "systemctl" | "service" | "launchctl" | "loginctl" => {
            matches!(
                first.as_str(),
                "status"
                    | "list"
                    | "list-units"
                    | "list-unit-files"
                    | "is-active"
                    | "is-enabled"
                    | "show"
                    | "cat"
                    | "print"
                    | "list-timers"
                    | "list-sessions"
            )
        }
        "mount" | "swapon" => call.args.is_empty(),
        "sysctl" => {
            !call.args.iter().any(|word| word.is("-w") || word.shown().contains('=') || word.is("-p"))
        }
        "defaults" => matches!(first.as_str(), "read" | "domains" | "find" | "read-type"),
        "security" => matches!(first.as_str(), "list-keychains" | "help"),
        "gpg" => call.args.iter().any(|word| {
            matches!(word.start(), "--list-keys" | "-k" | "--verify" | "-K" | "--list-secret-keys")
        }),
        _ => false,
    };
    if asks {
        return Nature::Reads;
    }
    if matches!(call.name, "at" | "batch") {
        call.write(&Field::known("/var/spool/cron"), Change::Content);
        call.fed_code();
    }
    if matches!(call.name, "systemctl" | "launchctl") {
        call.opaque("it makes something run now or later");
    }
    Nature::Unknown
}
