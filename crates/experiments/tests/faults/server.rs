//! A publisher on the loopback interface, which serves a file whole or from a byte on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Server {
    address: SocketAddr,
    content: Arc<Vec<u8>>,
}

impl Server {
    /// It ends with the process.
    pub(crate) fn start() -> Self {
        let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/data/abalone.data.gz");
        let mut content = Vec::new();
        let packed = std::fs::File::open(packed).unwrap();
        flate2::read::GzDecoder::new(packed).read_to_end(&mut content).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self { address: listener.local_addr().unwrap(), content: Arc::new(content) };
        let content = Arc::clone(&server.content);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let content = Arc::clone(&content);
                // The other side may be killed at any byte.
                std::thread::spawn(move || answer(connection, &content));
            }
        });
        server
    }

    pub(crate) fn home(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(crate) fn content(&self) -> &[u8] {
        &self.content
    }
}

fn answer(mut connection: TcpStream, content: &[u8]) -> std::io::Result<()> {
    let lines = BufReader::new(connection.try_clone()?).lines().map_while(Result::ok);
    let head: Vec<String> =
        lines.take_while(|line| !line.is_empty()).map(|line| line.to_lowercase()).collect();
    let from: Option<usize> =
        head.iter().find_map(|line| line.strip_prefix("range: bytes=")?.strip_suffix('-')?.parse().ok());
    let length = content.len();
    let status = match from {
        Some(from) if from >= length => "416 Range Not Satisfiable\r\nContent-Length: 0".to_owned(),
        Some(from) => format!(
            "206 Partial Content\r\nContent-Range: bytes {from}-{}/{length}\r\nContent-Length: {}",
            length - 1,
            length - from
        ),
        None => format!("200 OK\r\nContent-Length: {length}"),
    };
    write!(connection, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n")?;
    // Slowly, so that a kill finds a part of it.
    for piece in content.get(from.unwrap_or(0)..).unwrap_or_default().chunks(1 << 13) {
        connection.write_all(piece)?;
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
