//! `[agents]`, `[drivers.NAME]` and `[profiles.NAME]`: what they mean, how they are laid over each other, and what is
//! said of mistakes.

use signalbox_store::Home;
use signalbox_store::config::{self, Config, SETTINGS};
use signalbox_store::launch::{Agents, DetachKey, Launch, Options};

const KNOWN: &[&str] = &["claude", "codex", "puppet"];

fn home(text: &str) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().expect("a folder");
    let home = Home::new(folder.path());
    signalbox_store::files::replace(&home.config(), text.as_bytes(), 0o600).expect("write");
    (folder, home)
}

const CONFIG: &str = r#"
[agents]
recording = false
redact = ["MY_*"]

[drivers.claude]
command = "claude-dev"
args = ["--verbose"]
config_dir = "claude"
env = { A = "1", B = "1" }

[profiles.review]
driver = "claude"
args = ["--model", "haiku"]
config_dir = "/etc/review"
env = { B = "2", C = "2" }

[profiles.loose]
args = ["x"]
"#;

fn launch(
    driver: Option<&str>,
    profile: Option<&str>,
    over: Options,
) -> Result<Launch, (&'static str, String)> {
    let (_folder, home) = home(CONFIG);
    let config = Config::load(&home).expect("load");
    let launch = config.launch(&home, KNOWN, driver, profile, over);
    launch.map_err(|refusal| (refusal.code, refusal.hint.unwrap_or_default()))
}

#[test]
fn a_profile_is_laid_over_its_driver_and_the_command_line_over_both() {
    let over = Options {
        args: vec!["-p".into()],
        env: [("C".to_owned(), "3".to_owned())].into(),
        ..Options::default()
    };
    let found = launch(None, Some("review"), over).expect("a launch");
    assert_eq!(found.driver, "claude");
    assert_eq!(found.command.as_deref(), Some("claude-dev"));
    assert_eq!(found.args, ["--verbose", "--model", "haiku", "-p"]);
    let env: Vec<String> = found.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(env, ["A=1", "B=2", "C=3"]);
    assert_eq!(found.config_dir, Some("/etc/review".into()));

    let plain = launch(Some("claude"), None, Options::default()).expect("a launch");
    assert!(plain.config_dir.is_some_and(|folder| folder.is_absolute() && folder.ends_with("claude")));
    let bare = launch(Some("codex"), Some("loose"), Options::default()).expect("a launch");
    assert_eq!((bare.driver.as_str(), bare.args.as_slice()), ("codex", &["x".to_owned()][..]));
}

#[test]
fn mistakes_are_said() {
    let code = |driver, profile| launch(driver, profile, Options::default()).expect_err("a refusal");
    assert_eq!(code(None, Some("reveiw")), ("profile.unknown", "Did you mean `review`?".to_owned()));
    assert_eq!(code(Some("codex"), Some("review")).0, "profile.other-driver");
    assert_eq!(code(None, Some("loose")).0, "profile.no-driver");
    assert_eq!(code(None, None).0, "profile.no-driver");
    assert_eq!(code(Some("cluade"), None), ("driver.unknown", "Did you mean `claude`?".to_owned()));
    let unset = Options { command: Some("${NO_SUCH_VARIABLE}/claude".into()), ..Options::default() };
    assert_eq!(launch(Some("claude"), None, unset).expect_err("a refusal").0, "profile.variable");
    let (_folder, home) = home("[drivers.cluade]\nargs = []\n");
    let config = Config::load(&home).expect("load");
    let refusal =
        config.launch(&home, KNOWN, Some("claude"), None, Options::default()).expect_err("a refusal");
    assert_eq!(refusal.message, "config.toml has settings for `cluade`, which is no driver");
}

#[test]
fn wrong_keys_and_values_are_named_with_their_line() {
    for (text, want) in [
        ("[agents]\nrecordin = true\n", "line 2: there is no setting `recordin`, did you mean `recording`?"),
        ("[agents]\nlog_max_mb = 0\n", "line 2: a whole number of at least 1 is needed here, not `0`"),
        ("[web]\nport = 70000\n", "line 2: a whole number from 0 to 65535 is needed here, not `70000`"),
        ("[agents]\nrecording = \"no\"\n", "line 2: `true` or `false` is needed here, not \"no\""),
        ("[agents]\ndetach_key = \"x\"\n", "line 2: `x` is no detach key"),
        (
            "[drivers.claude]\ncomand = \"x\"\n",
            "line 2: there is no setting `comand`, did you mean `command`?",
        ),
        ("[profiles.a]\nenv = [1]\n", "line 2: a table is needed here, not a list"),
        ("[profiles.a]\nzzz = 1\n", "line 2: there is no setting `zzz`; there are `driver`, `command`"),
        ("[agnets]\n", "line 1: there is no setting `agnets`, did you mean `agents`?"),
        ("[mode]\ndefault = \"x\"\n", "line 2: `x` is not known; there are `discussion`, `implementation`"),
        ("vault = 3\n", "line 1: a text in quotes is needed here, not `3`"),
        ("agents = 3\n", "line 1: a table is needed here, not `3`"),
        ("[projects.a]\n", "`path` is missing"),
        ("[agents]\nrecording = true\nrecording = true\n", "line 3: this is set a second time"),
        ("vault = \n", "line 1: a text must stand in quotes"),
        ("[mode\n", "line 1: a `]` is missing"),
    ] {
        let (_folder, home) = home(text);
        let error = Config::load(&home).map(|_| ()).expect_err(text).to_string();
        assert!(error.contains(want), "{text}: {error}");
    }
}

#[test]
fn detach_keys() {
    let bytes = |text: &str| DetachKey::try_from(text.to_owned()).map(|key| key.bytes().to_vec());
    assert_eq!(bytes("ctrl-a d"), Ok(DetachKey::default().bytes().to_vec()));
    assert_eq!(bytes("Ctrl-B  D"), Ok(vec![2, b'D']));
    assert_eq!(bytes("^p ^q"), Ok(vec![16, 17]));
    for bad in ["", "d", "ctrl-", "ctrl-1", "ctrl-aa", "ctrl-c", "ctrl-m", "esc", "ctrl-a 1 2 3", "é", "^"] {
        assert!(bytes(bad).is_err(), "{bad}");
    }
}

#[test]
fn secrets_are_known_by_the_names_of_their_variables() {
    let usual = Agents::default();
    for (name, is_secret) in
        [("ANTHROPIC_API_KEY", true), ("GITHUB_TOKEN", true), ("PATH", false), ("TOKENS", false)]
    {
        assert_eq!(usual.is_secret(name), is_secret, "{name}");
    }
    let (_folder, home) = home(CONFIG);
    let own = Config::load(&home).expect("load").agents;
    assert!(own.is_secret("MY_THING") && !own.is_secret("GITHUB_TOKEN") && !own.recording);
}

#[test]
fn settings_can_be_set_and_their_defaults_are_what_is_said() {
    let (_folder, home) = home("# mine\n");
    for (key, value) in [
        ("agents.recording", "false"),
        ("agents.log_max_mb", "3"),
        ("agents.detach_key", "ctrl-b d"),
        ("agents.redact", "A, B"),
    ] {
        config::set(&home, key, value).expect("set");
        assert_eq!(config::get(&home, key).expect("get").as_deref(), Some(value), "{key}");
    }
    let agents = Config::load(&home).expect("load").agents;
    assert!(!agents.recording && agents.log_max_mb.get() == 3 && agents.redact == ["A", "B"]);
    for (key, value) in [("agents.recording", "no"), ("agents.log_max_mb", "-1"), ("agents.detach_key", "q")]
    {
        assert!(config::set(&home, key, value).is_err(), "{key} = {value}");
    }
    // The table that people read says what holds.
    let said = |key: &str| SETTINGS.iter().find(|setting| setting.key == key).expect("a setting").default;
    let usual = Agents::default();
    assert_eq!(said("agents.recording"), usual.recording.to_string());
    assert_eq!(said("agents.recording_max_mb"), usual.recording_max_mb.to_string());
    assert_eq!(said("agents.log_max_mb"), usual.log_max_mb.to_string());
    assert_eq!(said("agents.seat_idle_seconds"), usual.seat_idle_seconds.to_string());
    assert_eq!(said("agents.redact"), usual.redact.join(", "));
    assert_eq!(DetachKey::try_from(said("agents.detach_key").to_owned()), Ok(usual.detach_key));
}
