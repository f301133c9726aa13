//! The ways a message gets into a running CLI, beside the keyboard.

/// One way in.
pub enum Door {
    /// A hook of the CLI's waits in the background and wakes the agent. The draft stays, dialogs are left alone.
    Waiter(Waiter),
    /// A command of the CLI's puts the message into its own queue. The draft stays, dialogs are left alone.
    Queue(fn(session: &str, text: &str) -> Vec<String>),
    /// A file that the CLI loads and that hands messages over. The draft stays.
    Extension(Extension),
    /// Typing, where everything else is missing. What may be typed when is up to the screen.
    Keyboard,
}

/// A hook that waits for a message.
pub struct Waiter {
    /// What is run: the words after `sb`.
    pub arguments: &'static [&'static str],
    /// How it must end to wake the agent with this text. It must never end so for any other reason: the agent would be
    /// woken by a complaint, again and again.
    pub wake: fn(text: &str) -> crate::Reply,
}

/// A file that the CLI loads.
pub struct Extension {
    /// Where it goes, below the configuration folder.
    pub path: &'static str,
    /// Its text; `sb` is the full path of the program.
    pub text: fn(sb: &str) -> String,
    /// What the CLI must be started with to load it.
    pub needs: &'static [&'static str],
}
