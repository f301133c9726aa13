//! Programs that talk to the network.

use super::super::effect::{Change, Effect, Nature};
use super::super::text::Field;
use super::super::walk::Input;
use super::call::Call;
use super::options;
use super::{Operands, Row, copies};

const fn network(name: &'static str, custom: fn(&mut Call<'_, '_>) -> Nature) -> Row {
    Row::new(name, Nature::Listed, "", Operands::Custom(custom))
}

/// Network programs, sorted by name.
pub(super) const ROWS: &[Row] = &[
    network("aria2c", wget),
    network("curl", curl),
    network("dig", asks),
    network("ftp", talks),
    network("grpcurl", asks),
    network("host", asks),
    network("http", http),
    network("httpie", http),
    network("https", http),
    network("lftp", talks),
    network("mosh", ssh),
    network("mtr", asks),
    network("nc", talks),
    network("ncat", talks),
    network("netcat", talks),
    network("nmap", asks),
    network("nslookup", asks),
    network("openssl", openssl),
    network("ping", asks),
    network("rclone", rclone),
    network("scp", scp),
    network("sendmail", talks),
    network("sftp", scp),
    network("socat", talks),
    network("ssh", ssh),
    network("ssh-keyscan", asks),
    network("telnet", talks),
    network("tracepath", asks),
    network("traceroute", asks),
    network("wget", wget),
    network("whois", asks),
    network("xh", http),
];

const CURL: &str = "d data data-raw data-binary data-urlencode data-ascii json H header X request u user A user-agent \
                    e referer b cookie F form form-string m max-time connect-timeout retry retry-delay retry-max-time \
                    x proxy C continue-at r range w write-out y Y z E cert key cacert capath resolve interface \
                    limit-rate max-redirs K config T upload-file o output D dump-header c cookie-jar output-dir trace \
                    trace-ascii stderr hsts alt-svc etag-save etag-compare url unix-socket abstract-unix-socket libcurl \
                    oauth2-bearer aws-sigv4 ciphers tls-max proto parallel-max create-file-mode Q quote t telnet-option \
                    mail-from mail-rcpt mail-auth netrc-file cert-type key-type pass engine dns-servers local-port \
                    connect-to noproxy preproxy proxy-user proxy-header request-target socks5 socks5-hostname \
                    variable url-query rate ssl-sessions expect100-timeout keepalive-time max-filesize pinnedpubkey";

fn curl(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(&call.args, CURL);
    let mut to = sorted.operands.first().map(Field::shown);
    let folder = sorted.value("output-dir").cloned();
    let before = call.walker.effects.len();
    // With `-G` the data is part of the address, unless another request follows.
    let data_in_address = sorted.says("G get") && !sorted.has(": next");
    let mut sends = false;
    for option in &sorted.options {
        let value = option.value.clone().unwrap_or_default();
        match option.name.as_str() {
            "o" | "output" => match &folder {
                Some(folder) if !value.is("-") => call.write(&folder.join(&value.shown()), Change::Content),
                _ => call.write(&value, Change::Content),
            },
            "D" | "dump-header" | "c" | "cookie-jar" | "trace" | "trace-ascii" | "stderr" | "hsts"
            | "etag-save" | "libcurl" | "alt-svc" | "ssl-sessions" => {
                call.write(&value, Change::Content);
            }
            "K" | "config" => {
                call.read(&value);
                call.opaque("its options are in a file");
            }
            "engine" => call.opaque("it loads code"),
            "T" | "upload-file" => {
                sends = true;
                call.read(&value);
            }
            "d" | "data" | "data-binary" | "data-raw" | "data-urlencode" | "data-ascii" | "json" | "F"
            | "form" | "form-string" => {
                sends |= !data_in_address || option.name.starts_with(['F', 'f', 'j']);
                let shown = value.shown();
                if let Some((_, file)) =
                    shown.split_once('@').filter(|(before, _)| before.is_empty() || before.ends_with('='))
                {
                    call.read(&Field::known(file));
                }
            }
            "X" | "request" => {
                sends |= !matches!(value.shown().as_str(), "GET" | "HEAD" | "OPTIONS" | "get" | "head");
            }
            "Q" | "quote" | "mail-from" | "mail-rcpt" | "t" | "telnet-option" => sends = true,
            // A format can send what is written into a file.
            "w" | "write-out" if value.shown().contains("%output{") => call.write_somewhere(),
            "url" => to = Some(value.shown()),
            _ => {}
        }
    }
    if sorted.has("O remote-name J remote-header-name remote-name-all") {
        for url in sorted.operands.iter().chain(sorted.value("url")) {
            save_as_named(call, url, folder.as_ref());
        }
    }
    for url in sorted.operands.iter().chain(sorted.value("url")) {
        let shown = url.shown();
        match shown.split_once("://").map(|(scheme, _)| scheme) {
            Some("file") => {
                if let Some(path) = url.strip("file://") {
                    call.read(&path);
                }
            }
            None | Some("http" | "https" | "ftp" | "ftps") => {}
            // Mail, queues and the like: asking and telling look the same.
            Some(_) => sends |= !url.starts_unknown(),
        }
    }
    call.network(to);
    nature_by_effects(call, before, sends)
}

/// Whoever fetches something and shows it only reads.
fn nature_by_effects(call: &Call<'_, '_>, before: usize, sends: bool) -> Nature {
    let made = call.walker.effects.get(before..).unwrap_or_default();
    let writes = made.iter().any(|effect| matches!(effect, Effect::Write(..) | Effect::Opaque(_)));
    if writes || sends { Nature::Listed } else { Nature::Reads }
}

/// A file named after the last part of the address.
fn save_as_named(call: &mut Call<'_, '_>, url: &Field, folder: Option<&Field>) {
    let shown = url.shown();
    let path = shown.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let name = match path.rsplit_once('/') {
        Some((_, name)) if !name.is_empty() => name,
        _ => "index.html",
    };
    if url.has_unknown() {
        let folder = folder.cloned().unwrap_or_else(|| Field::known("."));
        call.write_below(&folder);
        return;
    }
    match folder {
        Some(folder) => call.write(&folder.join(name), Change::Content),
        None => call.write(&Field::known(name), Change::Content),
    }
}

const WGET: &str = "O o a P T t e U i A R D I X l Q B output-document output-file append-output directory-prefix timeout \
                    tries execute user-agent input-file header post-data post-file body-data body-file method user \
                    password load-cookies save-cookies use-askpass wait limit-rate domains config dir d out \
                    warc-file rejected-log hsts-file";

fn wget(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(&call.args, WGET);
    let before = call.walker.effects.len();
    let mut sends = false;
    for option in &sorted.options {
        let value = option.value.clone().unwrap_or_default();
        match option.name.as_str() {
            "O" | "output-document" | "o" | "output-file" | "a" | "append-output" | "save-cookies"
            | "out" | "warc-file" | "rejected-log" | "hsts-file" => {
                call.write(&value, Change::Content);
            }
            "use-askpass" => call.code(&value),
            "e" | "execute" | "config" => call.opaque("its options can run and write"),
            "post-file" | "body-file" => {
                sends = true;
                call.read(&value);
            }
            "post-data" | "body-data" => sends = true,
            "method" => sends |= !matches!(value.shown().as_str(), "GET" | "HEAD" | "OPTIONS"),
            "i" | "input-file" | "load-cookies" => call.read(&value),
            _ => {}
        }
    }
    let folder = sorted.value("P directory-prefix dir d").cloned();
    if !sorted.says("O output-document spider out") {
        if sorted.has("r m recursive mirror p page-requisites i input-file") {
            call.write_below(&folder.clone().unwrap_or_else(|| Field::known(".")));
        }
        for url in &sorted.operands {
            save_as_named(call, url, folder.as_ref());
        }
    }
    call.network(sorted.operands.first().map(Field::shown));
    // The tool of this name for many connections has options that run programs.
    let runs = call.name == "aria2c";
    if runs && sorted.options.iter().any(|option| option.name.starts_with("on-")) {
        call.opaque("an option runs a program");
    }
    nature_by_effects(call, before, sends || runs)
}

fn http(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_valued(&call.args, "o a A output auth auth-type session verify proxy timeout");
    let before = call.walker.effects.len();
    if let Some(file) = sorted.value("o output") {
        call.write(file, Change::Content);
    }
    let download = sorted.has("d download");
    if download && sorted.value("o output").is_none() {
        call.write_below(&Field::known("."));
    }
    let words: Vec<String> = sorted.operands.iter().map(Field::shown).collect();
    call.network(words.first().cloned());
    // With more than an address, or something on its input, it sends; a session is kept in a file.
    let only_asks = match words.as_slice() {
        [_] => !words.iter().any(|word| word.chars().all(char::is_uppercase)),
        [method, _] => matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS"),
        _ => false,
    };
    let fed = !matches!(call.walker.input, Input::Inherited);
    nature_by_effects(call, before, !only_asks || fed || sorted.has("session"))
}

fn asks(call: &mut Call<'_, '_>) -> Nature {
    let to = call.args.iter().find(|word| !word.start().starts_with(['-', '+', '@'])).map(Field::shown);
    if call.name == "nmap" {
        for (index, word) in call.args.clone().iter().enumerate() {
            if word.start().starts_with("-o")
                && let Some(file) = call.args.get(index + 1).cloned()
            {
                call.write(&file, Change::Content);
            }
            if word.start().starts_with("--script") {
                call.opaque("scripts can do anything");
            }
        }
    }
    call.network(to);
    Nature::Reads
}

fn talks(call: &mut Call<'_, '_>) -> Nature {
    let words: Vec<String> = call.args.iter().map(Field::shown).collect();
    let runs = words.iter().any(|word| {
        matches!(word.as_str(), "-e" | "-c" | "--exec" | "--sh-exec")
            || word.to_ascii_uppercase().contains("EXEC:")
            || word.to_ascii_uppercase().contains("SYSTEM:")
    });
    if runs || call.name == "lftp" {
        call.opaque("it connects a program to the network");
    }
    for word in &words {
        let upper = word.to_ascii_uppercase();
        if ["OPEN:", "FILE:", "CREATE:", "GOPEN:"].iter().any(|kind| upper.starts_with(kind)) {
            let file = word.split([':', ',']).nth(1).unwrap_or_default();
            call.write(&Field::known(file), Change::Content);
        }
    }
    call.network(words.into_iter().find(|word| !word.starts_with('-')));
    Nature::Listed
}

const SSH: &str = "b c D E e F I i J L l m O o p Q R S W w";

fn ssh(call: &mut Call<'_, '_>) -> Nature {
    let sorted = options::sort_leading(&call.args, SSH);
    for option in &sorted.options {
        let value = option.value.as_ref().map(Field::shown).unwrap_or_default();
        let lower = value.to_ascii_lowercase();
        if option.name == "o" && (lower.contains("command") || lower.contains("permitlocal")) {
            match value.split_once('=') {
                Some((_, code)) => call.code(&Field::known(code)),
                None => call.opaque("an option runs a command"),
            }
        }
        if let ("E", Some(file)) = (option.name.as_str(), &option.value) {
            call.write(&file.clone(), Change::Content);
        }
        if option.name == "F" {
            call.opaque("its configuration can run commands");
        }
    }
    call.network(sorted.operands.first().map(Field::shown));
    let remote: Vec<String> = sorted.operands.iter().skip(1).map(Field::shown).collect();
    if !remote.is_empty() {
        call.opaque_text("runs a command on another machine", &remote.join(" "));
    }
    match call.walker.input.clone() {
        Input::Text(code) | Input::File(code) | Input::Unknown(code) => {
            call.opaque_text("feeds another machine", &code);
        }
        Input::Mixed(code) => call.opaque_text("feeds another machine", &code.shown()),
        Input::Inherited => {}
    }
    Nature::Listed
}

fn scp(call: &mut Call<'_, '_>) -> Nature {
    let mut sorted = options::sort_valued(&call.args, "c D F i J l o P S X b B R s");
    if sorted.value("S").is_some()
        || sorted.options.iter().any(|option| {
            option.name == "o"
                && option
                    .value
                    .as_ref()
                    .is_some_and(|value| value.shown().to_ascii_lowercase().contains("command"))
        })
    {
        call.opaque("an option runs a command");
    }
    let destination = if sorted.operands.len() > 1 { sorted.operands.pop() } else { None };
    let mut remote = sorted.operands.iter().find(|word| copies::is_remote(word)).map(Field::shown);
    for source in sorted.operands.iter().filter(|word| !copies::is_remote(word)) {
        call.read(source);
    }
    match destination {
        Some(to) if copies::is_remote(&to) => remote = Some(to.shown()),
        Some(to) => {
            call.write(&to, Change::Content);
            call.write_below(&to);
        }
        None => {}
    }
    call.network(remote);
    Nature::Listed
}

fn rclone(call: &mut Call<'_, '_>) -> Nature {
    call.network(None);
    for word in call.args.clone().iter().skip(1) {
        if !word.start().starts_with('-') && !copies::is_remote(word) {
            call.write(word, Change::Content);
            call.write_below(word);
        }
    }
    Nature::Listed
}

fn openssl(call: &mut Call<'_, '_>) -> Nature {
    let args = call.args.clone();
    let mut nature = Nature::Reads;
    for (index, word) in args.iter().enumerate() {
        let Some(value) = args.get(index + 1) else { break };
        match word.start() {
            "-out" | "-keyout" | "-CAserial" | "-writerand" | "-sess_out" | "-noout-file" => {
                call.write(value, Change::Content);
                nature = Nature::Listed;
            }
            "-connect" => call.network(Some(value.shown())),
            "-engine" | "-provider-path" | "-config" => call.opaque("it loads code"),
            "-in" => call.read(value),
            _ => {}
        }
    }
    nature
}
