//! The web page as `sb web` and the daemon serve it: when, where, and who is let in.

use std::sync::{Mutex, PoisonError};

use signalbox_api::PageAt;
use signalbox_api::wire::{Kind, Problem};
use signalbox_desk::Desk;
use signalbox_desk::error::CommandError;
use signalbox_store::config::{self, Config};
use signalbox_store::{Home, files};
use signalbox_web::{Options, Running, StartError, start};

/// The page in the daemon. It is served from the first time that somebody wants it, and then again by every daemon after
/// this one, so that a browser finds it where it was.
pub struct WebPage {
    home: Home,
    running: Mutex<Option<Running>>,
}

impl WebPage {
    pub fn new(home: &Home) -> Self {
        Self { home: home.clone(), running: Mutex::default() }
    }

    /// Where the port is written down while it is served.
    fn mark(&self) -> std::path::PathBuf {
        self.home.run().join("web.port")
    }

    fn serve(&self, port: Option<u16>) -> Result<Running, Problem> {
        let problem = |error: CommandError| Problem::new(Kind::Failure, &error.code, error.message);
        let config = Config::load(&self.home).map_err(|error| problem(error.into()))?;
        let served = serve(&self.home, &config.web, port).map_err(problem)?;
        // Whoever cannot write this down serves all the same; only the next daemon does not know.
        let _ = files::replace(&self.mark(), served.port().to_string().as_bytes(), files::PRIVATE);
        Ok(served)
    }
}

impl signalbox_daemon::Page for WebPage {
    fn way_in(&self, token: bool) -> Result<PageAt, Problem> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let page = match running.take() {
            Some(page) => page,
            None => self.serve(None)?,
        };
        let page = running.insert(page);
        let way_in = if token { page.token() } else { Ok(page.link()) };
        let way_in = way_in.map_err(|error| Problem::new(Kind::Failure, "web.keep", error.to_string()))?;
        Ok(PageAt { port: page.port(), way_in, passed_over: page.passed_over() })
    }

    fn resume(&self) -> Result<(), Problem> {
        let before = files::read_optional(&self.mark()).ok().flatten();
        let port = before.and_then(|bytes| String::from_utf8(bytes).ok()?.trim().parse().ok());
        let always = Config::load(&self.home).is_ok_and(|config| config.web.serve);
        if port.is_some() || always {
            let served = self.serve(port)?;
            *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(served);
        }
        Ok(())
    }
}

/// Serve it as the configuration says, from this port on if there is one that is wanted.
pub fn serve(home: &Home, settings: &config::Web, port: Option<u16>) -> Result<Running, CommandError> {
    let options = Options {
        port: port.unwrap_or(settings.port),
        addresses: settings.addresses.clone(),
        names: settings.names.clone(),
    };
    start(Desk::new(home.clone()), &options).map_err(|error| {
        let failed = CommandError::failed("web.start", &error);
        match error {
            StartError::Listen { .. } => failed.hint("`sb web --port N` takes another port."),
            _ => failed,
        }
    })
}
