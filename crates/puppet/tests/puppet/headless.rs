//! Without a terminal.

use crate::seat::Seat;

#[test]
fn one_prompt_is_answered() {
    let seat = Seat::new("{}");
    let output = seat.command(&["-p", "hello"]).output().expect("run it");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "You said: hello\n");
    let output = seat.command(&["-p", "hello", "--output-format", "json", "--session-id", "x"]).output();
    let text = String::from_utf8_lossy(&output.expect("run it").stdout).into_owned();
    assert_eq!(text, "{\"type\":\"result\",\"result\":\"You said: hello\",\"session_id\":\"x\"}\n");
}

#[test]
fn a_crash_has_its_code_and_nobody_can_be_asked() {
    let seat = Seat::new(
        r#"{"prompts": [{"match": "crash", "steps": [{"crash": 9}]},
                        {"match": "ask", "steps": [{"tool": {"input": {"command": "ls"}, "ask": true}}, {"say": "end"}]}]}"#,
    );
    assert_eq!(seat.command(&["-p", "crash"]).status().expect("run it").code(), Some(9));
    let output = seat.command(&["-p", "ask"]).output().expect("run it");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "end\n");
}

#[test]
fn it_says_what_is_wrong() {
    let seat = Seat::new("{}");
    for (arguments, words) in
        [(&["--nonsense"][..], "unknown option"), (&["-p"], "needs a prompt"), (&[], "needs a terminal")]
    {
        let output = seat.command(arguments).stdin(std::process::Stdio::null()).output().expect("run it");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(words));
    }
}
