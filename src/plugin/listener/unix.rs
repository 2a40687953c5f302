//! A Unix socket in a directory that only this user may enter.

use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

use crate::plugin::Environment;
use crate::plugin::handshake::Address;

/// Longest path of a Unix socket that every supported system takes: macOS has 104 bytes with the
/// closing zero, Linux 108.
const LONGEST_PATH: usize = 103;

/// One accepted client, still unknown.
pub(crate) type Socket = tokio::net::UnixStream;

/// A listening socket whose file and directory vanish with it.
pub(crate) struct Listener {
    listener: UnixListener,
    directory: Directory,
}

impl Listener {
    /// Listens in the first of the environment's directories that will do.
    ///
    /// # Errors
    /// None of them takes a socket; the last reason.
    pub(crate) fn bind(environment: &Environment) -> io::Result<Self> {
        let mut reason = io::Error::from(io::ErrorKind::NotFound);
        for parent in environment.socket_directories() {
            match Directory::create(&parent).and_then(Self::bind_in) {
                Ok(listener) => return Ok(listener),
                Err(error) => reason = io::Error::new(error.kind(), format!("{}: {error}", parent.display())),
            }
        }
        Err(reason)
    }

    fn bind_in(directory: Directory) -> io::Result<Self> {
        let listener = UnixListener::bind(directory.socket())?;
        Ok(Self { listener, directory })
    }

    /// Where it listens.
    #[must_use]
    pub(crate) fn address(&self) -> Address {
        Address::Unix(self.directory.socket())
    }

    /// The next client.
    ///
    /// # Errors
    /// Those of the system, such as too many open files.
    pub(crate) async fn accept(&self) -> io::Result<Socket> {
        self.listener.accept().await.map(|(socket, _)| socket)
    }
}

/// A directory of mode 0700 with one socket in it, removed when dropped.
struct Directory(PathBuf);

impl Directory {
    fn create(parent: &Path) -> io::Result<Self> {
        let name = format!("eksaddon-{:016x}", RandomState::new().build_hasher().finish());
        let directory = Self::path_in(parent, &name)?;
        // Fails if the name exists, whoever made it, so the directory is ours alone.
        DirBuilder::new().mode(0o700).create(&directory)?;
        Ok(Self(directory))
    }

    /// A relative path would mean another file to Terraform, and a long one is cut off by nobody:
    /// bind fails on it, so the next directory gets its turn.
    fn path_in(parent: &Path, name: &str) -> io::Result<PathBuf> {
        let directory = std::path::absolute(parent)?.join(name);
        if directory.as_os_str().len() + "/socket".len() > LONGEST_PATH {
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, "too long for a Unix socket"));
        }
        Ok(directory)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("socket")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Nothing can be done about a failure, and a leftover does no harm.
        let _ = fs::remove_file(self.socket());
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn the_directory_is_private_and_goes_with_the_listener() {
        let parent = tempfile::tempdir().expect("a directory");
        let parent = parent.path().to_str().expect("text");
        let listener = Listener::bind(&Environment::from_iter([("TMPDIR", parent)])).expect("binds");
        let directory = listener.directory.0.clone();
        let mode = fs::metadata(&directory).expect("exists").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(listener.address().to_string().starts_with(parent));
        drop(listener);
        assert!(!directory.exists());
    }

    #[tokio::test]
    async fn a_directory_that_will_not_do_is_passed_over() {
        let long = format!("/{}", "x".repeat(LONGEST_PATH));
        let environment =
            Environment::from_iter([("PLUGIN_UNIX_SOCKET_DIR", "/nonexistent"), ("TMPDIR", &long)]);
        let listener = Listener::bind(&environment).expect("binds in /tmp");
        assert!(listener.address().to_string().starts_with("/tmp/eksaddon-"));
    }
}
