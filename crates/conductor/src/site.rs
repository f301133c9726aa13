//! One project and its repositories: the person's, ours, and the workspaces of its tickets.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use signalbox_core::landing::Policy;
use signalbox_core::{Board, ProjectName, Refusal, Ticket, TicketId, Who};
use signalbox_git::{
    BranchName, Git, GitError, Integration, Key, Oid, RefName, TreePath, TreePool, UserRepository,
    ValidationTree, Workspace,
};
use signalbox_store::config::Config;
use signalbox_store::contract::{self, Contract};
use signalbox_store::index::Filter;
use signalbox_store::{Home, Index, Outcome, Store, StoreError, escalation, policy, trust};

use crate::error::Failed;

/// A project, and everything that it takes to get its tickets to main.
pub struct Site {
    pub home: Home,
    pub config: Config,
    pub store: Store,
    pub project: ProjectName,
    /// The person's checkout.
    pub root: PathBuf,
    pub main: BranchName,
    pub git: Git,
    pub user: UserRepository,
    pub integration: Integration,
    /// Only one at a time brings the person's main after ours.
    pub following: Mutex<()>,
    known_contract: Mutex<Option<(Oid, Option<Vec<u8>>)>>,
}

/// The contract as it stands on main.
pub struct Agreed {
    pub contract: Contract,
    pub trust: trust::State,
    pub hash: String,
}

/// Where workspaces are: beside Signalbox's own folder, because agents may not write into that.
pub fn workspaces_folder(home: &Home) -> PathBuf {
    let root = home.root();
    let name =
        root.file_name().map_or_else(|| ".signalbox".into(), |name| name.to_string_lossy().into_owned());
    root.with_file_name(format!("{name}-workspaces"))
}

impl Site {
    /// The project with its repositories, which are made where they are not there yet.
    pub fn open(home: &Home, config: &Config, project: &ProjectName) -> Result<Self, Failed> {
        let registered = config.projects.get(project.as_str()).ok_or_else(|| {
            Refusal::not_found("project.unknown", format!("there is no project `{project}`"))
                .hint("Register this directory: `sb init`.")
        })?;
        let root = registered.path.clone();
        let git = Git::find(&std::env::var_os("PATH").unwrap_or_default())?;
        let folder = home.root().join("integration").join(format!("{project}.git"));
        let in_checkout = contract::in_checkout(&root)?;
        let wanted = in_checkout
            .map(|bytes| Contract::parse(bytes, contract::PATH))
            .transpose()?
            .and_then(|contract| contract.main.map(|main| main.as_str().to_owned()));
        let wanted = wanted.map(|name| BranchName::of_user(&name)).transpose()?;
        let user = UserRepository::open(&git, &root)?;
        let first = wanted.clone().map_or_else(|| BranchName::of_user("main"), Ok)?;
        Self::make_folder_of(&folder)?;
        let integration = Integration::create(&git, &folder, user.object_format(), &first)?;
        let main = user.main_branch(&integration, wanted.as_ref())?;
        let site = Self {
            store: Store::new(home.clone(), config.vault(home)?),
            home: home.clone(),
            config: config.clone(),
            project: project.clone(),
            root,
            main,
            git,
            user,
            integration,
            following: Mutex::default(),
            known_contract: Mutex::default(),
        };
        if site.integration.ref_at(&site.main_ref())?.is_none() {
            let tip = site.user.import(&site.integration, &site.main)?;
            match site.integration.update_ref(&site.main_ref(), &tip, None) {
                // Somebody else was quicker.
                Err(GitError::Moved { .. }) => {}
                other => other?,
            }
        }
        Ok(site)
    }

    /// Whether somebody has begun to take this project's tickets to main.
    pub fn exists(home: &Home, project: &ProjectName) -> bool {
        home.root().join("integration").join(format!("{project}.git")).join("HEAD").is_file()
    }

    pub fn main_ref(&self) -> RefName {
        self.main.as_ref_name()
    }

    /// Where main is.
    pub fn tip(&self) -> Result<Oid, Failed> {
        Ok(self.integration.ref_at(&self.main_ref())?.ok_or_else(|| no_commit(&self.main))?)
    }

    /// The contract on main, and whether a person trusts it.
    pub fn agreed(&self, index: &Index) -> Result<Agreed, Failed> {
        self.agreed_at(index, &self.tip()?)
    }

    /// The contract at a commit, and whether a person trusts it.
    pub fn agreed_at(&self, index: &Index, commit: &Oid) -> Result<Agreed, Failed> {
        let Some(bytes) = self.contract_bytes(commit)? else {
            let message = format!("{} is not on {}", contract::PATH, self.main);
            return Err(Refusal::new("contract.missing", message)
                .hint("`sb bootstrap --write` proposes one; commit it, and then `sb trust`.")
                .into());
        };
        let contract = Contract::parse(&bytes, contract::PATH)?;
        let trust = trust::state(index, &self.project, &bytes)?;
        Ok(Agreed { contract, trust, hash: trust::hash(&bytes) })
    }

    /// The contract at a commit. It is the same for as long as main is.
    fn contract_bytes(&self, commit: &Oid) -> Result<Option<Vec<u8>>, Failed> {
        let mut known = self.known_contract.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, bytes)) = known.as_ref()
            && at == commit
        {
            return Ok(bytes.clone());
        }
        let bytes = self.integration.read_file(commit, &TreePath::new(contract::PATH.as_bytes()))?;
        *known = Some((commit.clone(), bytes.clone()));
        Ok(bytes)
    }

    /// What may be changed by whom, as the person and the contract say.
    pub fn policy(&self, contract: &Contract) -> Policy {
        let own = self.config.projects.get(self.project.as_str());
        let tests = own.and_then(|own| own.tests.clone()).unwrap_or_else(|| {
            let usual = policy::TESTS.iter().map(|pattern| (*pattern).to_owned());
            let more = contract.tests.iter().flatten().map(|pattern| pattern.as_str().to_owned());
            usual.chain(more).collect()
        });
        let none = signalbox_store::policy::Protection::default();
        let of_project = own.map_or(&none, |own| &own.protect);
        let protect = contract.protect.iter().map(|pattern| pattern.as_str().to_owned());
        Policy {
            tests,
            protect: self
                .config
                .protect
                .also
                .iter()
                .chain(&of_project.also)
                .cloned()
                .chain(protect)
                .collect(),
            unprotect: self.config.protect.except.iter().chain(&of_project.except).cloned().collect(),
        }
    }

    /// Write something down, as Signalbox itself.
    pub fn write(&self, command: signalbox_core::Command) -> Result<Outcome, Failed> {
        Ok(self.store.execute(&Who::System, &|_| Ok(command.clone()))?)
    }

    /// The project's tickets that are not done or that a person is asked about, and everything they wait for.
    pub fn tickets(&self, index: &Index) -> Result<(Vec<Ticket>, Board), Failed> {
        use signalbox_core::Status;
        let statuses = Status::ALL.into_iter().filter(|status| *status != Status::Done).collect();
        let filter = Filter { project: Some(self.project.clone()), statuses, ..Filter::default() };
        let mut tickets = index.tickets(&filter).map_err(StoreError::from)?;
        // A question about one that is done has become pointless, and somebody has to say so.
        let pending = escalation::pending(index)?.into_iter().filter_map(|one| one.asked.ticket);
        for id in pending.filter(|id| !tickets.iter().any(|ticket| ticket.id == *id)).collect::<Vec<_>>() {
            let asked_about = index.ticket(&id).map_err(StoreError::from)?;
            tickets.extend(asked_about.filter(|ticket| ticket.project == self.project));
        }
        let board = index.surroundings(tickets.iter().map(|ticket| &ticket.id)).map_err(StoreError::from)?;
        Ok((tickets, board))
    }

    pub fn workspace_path(&self, branch: &str) -> PathBuf {
        workspaces_folder(&self.home).join(self.project.as_str()).join(branch.replace('/', "-"))
    }

    pub fn key(ticket: &TicketId) -> Result<Key, Failed> {
        Ok(Key::parse(ticket.as_str())?)
    }

    /// The ticket's workspace, if it has one.
    pub fn workspace(&self, ticket: &TicketId) -> Result<Option<Workspace>, Failed> {
        Ok(self.integration.workspaces().find(&Self::key(ticket)?)?)
    }

    /// The files that a ticket's workspace differs in from main, committed or not.
    pub fn changed_files(&self, ticket: &TicketId) -> Result<Vec<String>, Failed> {
        let Some(workspace) = self.workspace(ticket)? else { return Ok(Vec::new()) };
        Ok(workspace.changed_files()?.iter().map(|path| path.text().into_owned()).collect())
    }

    /// Where the output of a run of the queue, or of a check of tests, goes.
    pub fn log_of(&self, what: &str) -> PathBuf {
        self.home.logs().join("runs").join(self.project.as_str()).join(format!("{what}.log"))
    }

    /// A directory that holds exactly this commit's tree, for as long as it is held.
    pub fn tree_at(&self, contract: &Contract, commit: &Oid) -> Result<ValidationTree, Failed> {
        let folder = workspaces_folder(&self.home).join(self.project.as_str()).join("validation");
        let tree = TreePool::new(&self.integration, &folder).take()?;
        let caches: Vec<String> =
            contract.validate.keep.iter().map(|folder| folder.as_str().to_owned()).collect();
        tree.prepare(commit, &caches)?;
        Ok(tree)
    }

    /// Make the folder that a file is to be in.
    pub fn make_folder_of(path: &Path) -> Result<(), Failed> {
        let folder = path.parent().unwrap_or(path);
        signalbox_store::files::create_private_dir(folder)
            .map_err(Failed::doing(format!("make {}", folder.display())))
    }
}

fn no_commit(main: &BranchName) -> Refusal {
    Refusal::new("git.unborn", format!("there is no commit on {main} yet"))
        .hint("Commit something first, the contract for instance: `sb bootstrap --write`.")
}
