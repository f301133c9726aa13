//! How the system starts the daemon by itself: a systemd user unit, or a launchd agent.

use std::path::{Path, PathBuf};

/// What is to be put where, and how it is then switched on and off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub path: PathBuf,
    pub text: String,
    pub enable: Vec<Vec<String>>,
    pub disable: Vec<Vec<String>>,
}

/// The unit for this system.
pub fn unit(home: &Path, config_home: Option<&Path>, program: &Path, signalbox_home: &Path) -> Unit {
    if cfg!(target_os = "macos") {
        launchd(home, program, signalbox_home)
    } else {
        systemd(home, config_home, program, signalbox_home)
    }
}

pub fn systemd(home: &Path, config_home: Option<&Path>, program: &Path, signalbox_home: &Path) -> Unit {
    let name = "signalbox.service";
    let config = config_home.map_or_else(|| home.join(".config"), Path::to_owned);
    let text = format!(
        "# Written by `sb up --install`; `sb up --uninstall` takes it away.\n\
         [Unit]\n\
         Description=Signalbox, the control room for coding agents\n\n\
         [Service]\n\
         ExecStart={} up --foreground\n\
         Environment={}\n\
         Restart=on-failure\n\
         RestartSec=2\n\n\
         [Install]\n\
         WantedBy=default.target\n",
        systemd_word(&program.display().to_string()).replace('$', "$$"),
        systemd_word(&format!("SIGNALBOX_HOME={}", signalbox_home.display())),
    );
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    Unit {
        path: config.join("systemd/user").join(name),
        text,
        enable: vec![
            words(&["systemctl", "--user", "daemon-reload"]),
            words(&["systemctl", "--user", "enable", "--now", name]),
        ],
        disable: vec![words(&["systemctl", "--user", "disable", "--now", name])],
    }
}

pub fn launchd(home: &Path, program: &Path, signalbox_home: &Path) -> Unit {
    let label = "dev.signalbox.daemon";
    let path = home.join("Library/LaunchAgents").join(format!("{label}.plist"));
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <!-- Written by `sb up - -install`; `sb up - -uninstall` takes it away. -->\n\
         <plist version=\"1.0\">\n<dict>\n\
         \t<key>Label</key><string>{label}</string>\n\
         \t<key>ProgramArguments</key>\n\
         \t<array><string>{}</string><string>up</string><string>--foreground</string></array>\n\
         \t<key>EnvironmentVariables</key>\n\
         \t<dict><key>SIGNALBOX_HOME</key><string>{}</string></dict>\n\
         \t<key>RunAtLoad</key><true/>\n\
         \t<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n\
         </dict>\n</plist>\n",
        xml(&program.display().to_string()),
        xml(&signalbox_home.display().to_string()),
    );
    let file = path.display().to_string();
    Unit {
        path,
        text,
        enable: vec![vec!["launchctl".to_owned(), "load".to_owned(), "-w".to_owned(), file.clone()]],
        disable: vec![vec!["launchctl".to_owned(), "unload".to_owned(), "-w".to_owned(), file]],
    }
}

/// A word of a unit file: quoted, and with nothing that systemd would fill in.
fn systemd_word(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{escaped}\"")
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
