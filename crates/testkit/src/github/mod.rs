//! A GitHub of our own: one repository behind the REST API, with the shapes, tags, pages, limits and redirects of the real
//! one, and a second server where the logs of jobs are kept.
//!
//! Time stands still between changes and goes on by a second with each, so that nothing happens at the same time.

mod serve;
mod world;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

pub use serve::{Asked, Body, Instead};
use world::{Check, Said, World};

/// What the one repository is called.
pub const REPO: &str = "octo/hello";
/// The only token that is accepted, and whose it is.
pub const TOKEN: &str = "ghp_octos-token";
pub const OWNER: &str = "octo";

/// A running server. It ends when it is dropped.
#[derive(Debug)]
pub struct Github {
    shared: Arc<Shared>,
    listeners: Vec<(SocketAddr, JoinHandle<()>)>,
}

#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    asked: Mutex<Vec<Asked>>,
    asked_for_logs: Mutex<Vec<Asked>>,
    instead: Mutex<Vec<Instead>>,
    stopping: AtomicBool,
    api: SocketAddr,
    logs: SocketAddr,
}

impl Github {
    pub fn start() -> Self {
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("listen on loopback");
        let (api, logs) = (listen(), listen());
        let address = |listener: &TcpListener| listener.local_addr().expect("the address");
        let shared = Arc::new(Shared {
            world: Mutex::default(),
            asked: Mutex::default(),
            asked_for_logs: Mutex::default(),
            instead: Mutex::default(),
            stopping: AtomicBool::new(false),
            api: address(&api),
            logs: address(&logs),
        });
        let start = |listener: TcpListener, serve: fn(&Shared, &TcpStream) -> std::io::Result<()>| {
            let theirs = Arc::clone(&shared);
            let address = address(&listener);
            (address, std::thread::spawn(move || listen_on(&theirs, &listener, serve)))
        };
        let listeners = vec![start(api, serve::api), start(logs, serve::logs)];
        Self { shared, listeners }
    }

    /// What to give as `api_url`.
    pub fn url(&self) -> String {
        format!("http://{}", self.shared.api)
    }

    /// Change anything by hand.
    fn world(&self) -> MutexGuard<'_, World> {
        let mut world = lock(&self.shared.world);
        world.seconds += 1;
        world
    }

    /// A new commit at a branch. It has no checks yet.
    pub fn push(&self, branch: &str, sha: &str) {
        self.world().push(branch, sha);
    }

    /// Delete a branch.
    pub fn delete(&self, branch: &str) {
        self.world().branches.remove(branch);
    }

    /// Open a pull request for a branch; the answer is its number.
    pub fn open(&self, branch: &str, title: &str) -> u64 {
        self.world().open(branch, title)
    }

    pub fn merge(&self, number: u64) {
        self.world().end(number, true);
    }

    pub fn close(&self, number: u64) {
        self.world().end(number, false);
    }

    /// Say whether it can be merged; `None`: that is not known yet.
    pub fn mergeable(&self, number: u64, can_be: Option<bool>) {
        self.world().pull(number).mergeable = can_be;
    }

    /// A check of GitHub Actions at a commit that is under way. A check of that name at the same commit is replaced, as
    /// when it is run again.
    pub fn check_runs(&self, sha: &str, name: &str) {
        self.world().check(sha, Check::running(name));
    }

    pub fn check_passes(&self, sha: &str, name: &str) {
        self.check_ends(sha, name, "success");
    }

    /// A check that ends with any conclusion, without steps or log.
    pub fn check_ends(&self, sha: &str, name: &str, conclusion: &str) {
        self.world().check(sha, Check { conclusion: Some(conclusion.to_owned()), ..Check::running(name) });
    }

    /// A job that fails in a step. Times are put before the lines of the log, as GitHub does.
    pub fn check_fails(&self, sha: &str, name: &str, step: &str, log: &str) {
        let check = Check {
            conclusion: Some("failure".to_owned()),
            step: Some(step.to_owned()),
            log: Some(log.to_owned()),
            ..Check::running(name)
        };
        self.world().check(sha, check);
    }

    /// A check of another app, which has no log but says something.
    pub fn app_fails(&self, sha: &str, name: &str, title: &str, summary: &str) {
        let check = Check {
            conclusion: Some("failure".to_owned()),
            app: "other-ci",
            output: (title.to_owned(), summary.to_owned()),
            ..Check::running(name)
        };
        self.world().check(sha, check);
    }

    /// A commit status, as older services set it.
    pub fn status(&self, sha: &str, context: &str, state: &str, description: &str) {
        self.world().status(sha, context, state, description);
    }

    /// A review with remarks on lines (path, line, text); the state is as in the API: `APPROVED`, `CHANGES_REQUESTED`,
    /// `COMMENTED`.
    pub fn review(
        &self,
        number: u64,
        author: &str,
        state: &str,
        body: &str,
        remarks: &[(&str, u64, &str)],
    ) -> u64 {
        self.world().review(number, author, state, body, remarks)
    }

    /// A comment below the pull request or issue.
    pub fn comment(&self, number: u64, author: &str, body: &str) -> u64 {
        let mut world = self.world();
        let said = Said::new(&mut world, author, body);
        let id = said.id;
        world.comments.entry(number).or_default().push(said);
        id
    }

    /// Delete the oldest comments.
    pub fn delete_comments(&self, number: u64, count: usize) {
        self.world().comments.entry(number).or_default().drain(..count);
    }

    /// An issue that is open, or closed for a reason.
    pub fn issue(&self, number: u64, closed: Option<&str>) {
        self.world().issues.insert(number, closed.map(ToOwned::to_owned));
    }

    /// How many requests are left in this hour.
    pub fn requests_left(&self, count: u64) {
        self.world().left = count;
    }

    /// Let so many seconds pass.
    pub fn pass(&self, seconds: u64) {
        self.world().seconds += seconds;
    }

    /// Answer differently to whatever has these words in its path, until [`Self::as_usual`].
    pub fn instead(&self, instead: Instead) {
        lock(&self.shared.instead).push(instead);
    }

    pub fn as_usual(&self) {
        lock(&self.shared.instead).clear();
    }

    /// All that was asked of the API since this was last called, in order.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.shared.asked))
    }

    /// All that was asked where the logs are kept.
    pub fn asked_for_logs(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.shared.asked_for_logs))
    }
}

impl Drop for Github {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        for (address, listener) in self.listeners.drain(..) {
            // The listener looks at the flag after each connection; this one wakes it.
            let _ = TcpStream::connect(address);
            let _ = listener.join();
        }
    }
}

fn listen_on(
    shared: &Arc<Shared>,
    listener: &TcpListener,
    serve: fn(&Shared, &TcpStream) -> std::io::Result<()>,
) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let theirs = Arc::clone(shared);
        // Whoever asks may break off at any time; the thread ends with the connection.
        std::thread::spawn(move || serve(&theirs, &stream));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
