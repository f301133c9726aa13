//! The shape of a parsed command line. Substitutions inside words are parsed along with everything else.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands in a row, each ended by `;`, `&` or a newline.
#[derive(Debug, Default)]
pub(super) struct List {
    pub items: Vec<Chain>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(super) struct Chain {
    pub first: Pipeline,
    pub rest: Vec<(Join, Pipeline)>,
    pub background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    pub commands: Vec<Command>,
    /// `!`: what succeeded counts as failed.
    pub negated: bool,
    /// Its source, for what has to be reported as opaque.
    pub text: Rc<str>,
}

#[derive(Debug)]
pub(super) enum Command {
    Simple(Simple),
    Compound(Compound, Vec<Redirect>),
    Function { name: String, body: Rc<Command> },
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    pub text: String,
}

#[derive(Debug)]
pub(super) enum Compound {
    Group(List),
    Subshell(List),
    /// Conditions with what they lead to, and what happens if none of them holds.
    If(Vec<(List, List)>, Option<List>),
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    /// `while`, `until` and the C-like `for`: the words are arithmetic.
    Loop {
        arithmetic: Option<Word>,
        condition: List,
        body: List,
    },
    Case {
        subject: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    /// `[[ … ]]` and `(( … ))`: words that are expanded and compared.
    Test(Vec<Word>),
    Coprocess(Box<Command>),
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub name: String,
    /// `+=`, or an element of an array: what was there before stays.
    pub adds: bool,
    pub value: AssignedValue,
    /// The subscript of `a[…]=`, which is expanded too.
    pub subscript: Option<Word>,
}

#[derive(Debug)]
pub(super) enum AssignedValue {
    Word(Word),
    Array(Vec<Word>),
}

#[derive(Debug)]
pub(super) struct Redirect {
    /// `{fd}>`: the variable that gets the descriptor's number.
    pub descriptor: Option<String>,
    pub kind: RedirectKind,
    /// `2>`: what the program prints still goes where it went.
    pub errors_only: bool,
    pub target: Word,
}

#[derive(Debug)]
pub(super) enum RedirectKind {
    Read,
    ReadWrite,
    Write,
    /// `>&word`, which is a file unless the word is a number or `-`.
    DuplicateOutput,
    DuplicateInput,
    HereString,
    /// Its body is filled in when the parser gets to the line after.
    Heredoc(Rc<OnceCell<Word>>),
}

#[derive(Debug, Default)]
pub(super) struct Word {
    pub pieces: Vec<Piece>,
    pub text: String,
}

#[derive(Debug)]
pub(super) enum Piece {
    /// Unquoted text: patterns, braces and a tilde in it mean something.
    Bare(String),
    Quoted(String),
    Double(Vec<Piece>),
    Parameter(Box<Parameter>),
    Substitution {
        list: List,
        text: String,
    },
    /// `<(…)`, `>(…)`, `=(…)`
    Process(List),
    /// `$((…))`: only its substitutions matter.
    Arithmetic(Vec<Piece>),
    /// `@(a|b)` and its like.
    ExtendedGlob(Vec<Piece>),
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub name: String,
    pub indirect: bool,
    /// `[@]`, `[*]` or an index, which may hold substitutions.
    pub subscript: Option<Word>,
    pub operation: Operation,
    pub operand: Vec<Piece>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Plain,
    /// `-` and `:-`; with the colon an empty value is none.
    Default {
        colon: bool,
    },
    /// `=` and `:=`
    Assign {
        colon: bool,
    },
    /// `+` and `:+`
    Alternative {
        colon: bool,
    },
    /// `#`, `##`
    CutFront {
        longest: bool,
    },
    /// `%`, `%%`
    CutBack {
        longest: bool,
    },
    Length,
    /// Whatever else there is: the result is not worked out.
    Other,
}
