//! What some templates may use besides what all may: functions that put something aside, and filters.
//!
//! A function makes no text. What it was called with is kept in order, and whoever asked for the text makes of it what
//! it likes: a block of a message, a variable for a program.

use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Kwargs, Rest, ValueOrKwargs, from_args};
use minijinja::{Environment, Error, ErrorKind};
use serde_json::{Map, Value};

use crate::engine::MOST_TEXT;

/// The most calls that one template may make.
const MOST_CALLS: usize = 1_000;

/// What a kind of templates may use besides.
#[derive(Debug, Clone, Copy)]
pub struct Extras {
    pub functions: &'static [Function],
    pub filters: &'static [Filter],
}

impl Extras {
    pub const NONE: Self = Self { functions: &[], filters: &[] };
}

/// A function whose calls are put aside.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    pub name: &'static str,
    /// Its parameters, in order; each may be given by name.
    pub parameters: &'static [&'static str],
    /// How many of them have to be given.
    pub required: usize,
}

/// A filter: it gets the value and what stands in parentheses.
#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub name: &'static str,
    pub apply: fn(&Value, &[Value]) -> Result<Value, String>,
}

/// A function was called.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub function: &'static str,
    /// What was given, by parameter.
    pub arguments: Map<String, Value>,
}

impl Call {
    /// A text that was given. Numbers are text too.
    pub fn text(&self, parameter: &str) -> Option<String> {
        match self.arguments.get(parameter)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }
}

/// The calls of one template, as they are made.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    made: Arc<Mutex<Vec<Call>>>,
}

impl Calls {
    pub fn add(&self, environment: &mut Environment<'_>, extras: &Extras) {
        for function in extras.functions {
            let (function, calls) = (*function, self.clone());
            environment.add_function(function.name, move |given: Rest<ValueOrKwargs>| {
                let values = given.into_values();
                let (values, named) = from_args::<(&[minijinja::Value], Kwargs)>(&values)?;
                calls.keep(bind(&function, values, &named)?)
            });
        }
        for filter in extras.filters {
            let apply = filter.apply;
            let filtered = move |value: minijinja::Value, given: Rest<minijinja::Value>| {
                let given: Vec<Value> = given.iter().map(plain).collect::<Result<_, _>>()?;
                let made = apply(&plain(&value)?, &given).map_err(wrong)?;
                Ok::<_, Error>(minijinja::Value::from(minijinja::value::Serde(&made)))
            };
            environment.add_filter(filter.name, filtered);
        }
    }

    pub fn into_made(self) -> Vec<Call> {
        std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, call: Call) -> Result<&'static str, Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let size = |call: &Call| call.arguments.values().map(size).sum::<usize>();
        // What is put aside is text that is made as well.
        if made.len() >= MOST_CALLS || made.iter().map(size).sum::<usize>() + size(&call) > MOST_TEXT {
            return Err(wrong(format!("`{}` is called too often or with too much", call.function)));
        }
        made.push(call);
        Ok("")
    }
}

fn bind(function: &Function, values: &[minijinja::Value], named: &Kwargs) -> Result<Call, Error> {
    let Function { name, parameters, required } = function;
    if values.len() > parameters.len() {
        return Err(wrong(format!("`{name}` takes {}, and no more", parameters.join(", "))));
    }
    let mut arguments = Map::new();
    for (parameter, value) in parameters.iter().zip(values) {
        arguments.insert((*parameter).to_owned(), plain(value)?);
    }
    for given in named.args() {
        if !parameters.contains(&given) {
            return Err(wrong(format!("`{name}` takes {}, and no `{given}`", parameters.join(", "))));
        }
        let value = plain(&named.get::<minijinja::Value>(given)?)?;
        arguments.insert(given.to_owned(), value);
    }
    if let Some(missing) = parameters.iter().take(*required).find(|name| !arguments.contains_key(**name)) {
        return Err(wrong(format!("`{name}` needs `{missing}`")));
    }
    Ok(Call { function: name, arguments })
}

fn plain(value: &minijinja::Value) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    serde_json::to_value(value).map_err(|error| wrong(error.to_string()))
}

fn wrong(what: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, what)
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| 1 + size(item)).sum(),
        Value::Object(items) => items.iter().map(|(name, item)| 1 + name.len() + size(item)).sum(),
        _ => 8,
    }
}
