//! Where the process begins, without the Rust runtime's own start.
//!
//! That start reads `/proc/self/maps` and prepares a stack for telling of an overflow: a tenth of a hook, for a message.
//! What else it does is done here: no open file may take the place of a standard stream that is closed, and writing to
//! a closed pipe is an error and not the end.

#[expect(unsafe_code, reason = "the name by which the C library finds the program")]
#[unsafe(no_mangle)]
extern "C" fn main() -> libc::c_int {
    hold_standard_streams();
    ignore_closed_pipes();
    // There is no runtime that would write out what is still held back.
    std::process::exit(crate::run().into());
}

#[expect(unsafe_code, reason = "a file descriptor that is not open cannot be borrowed")]
fn hold_standard_streams() {
    let mut streams = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the pointer and the count are those of the array, which outlives the call.
    let asked = unsafe { libc::poll(streams.as_mut_ptr(), 3, 0) };
    for stream in streams {
        if asked < 0 || stream.revents & libc::POLLNVAL != 0 {
            // SAFETY: the path ends with a null byte. The lowest number that is free is the one that is missing.
            let held = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
            if held < 0 {
                // The next file to be opened would be written to as if it were the stream.
                std::process::abort();
            }
        }
    }
}

#[expect(unsafe_code, reason = "no safe interface can ignore a signal")]
fn ignore_closed_pipes() {
    // SAFETY: there is one thread yet, and no handler that would have to be safe.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
