//! The page and its answers about positions, as a browser asks for them.

use super::Server;

/// The value of a header of an answer.
fn header<'a>(answer: &'a str, name: &str) -> &'a str {
    let lines = answer.lines().take_while(|line| !line.is_empty());
    let mut values = lines.filter_map(|line| line.split_once(": "));
    values.find_map(|(known, value)| known.eq_ignore_ascii_case(name).then_some(value)).unwrap_or("")
}

#[test]
fn a_browser_gets_the_page_and_all_its_files() {
    let server = Server::start(&[]);
    let (status, page) = server.get("/");
    assert_eq!(status, 200);
    assert_eq!(header(&page, "content-type"), "text/html; charset=utf-8");
    assert!(header(&page, "content-security-policy").contains("default-src 'self'"));
    assert_eq!(page.matches(" data-square=").count(), 64);
    let files = page.split('"').filter(|part| part.starts_with("page/"));
    let files: Vec<String> = files.map(|path| format!("/{path}")).collect();
    assert!(
        files.iter().any(|path| path.ends_with(".css")) && files.iter().any(|path| path.ends_with(".js"))
    );
    for path in files {
        let (status, file) = server.get(&path);
        assert_eq!(status, 200, "{path}");
        let kind = header(&file, "content-type");
        let wanted = match path.rsplit('.').next() {
            Some("css") => "text/css",
            Some("js") => "text/javascript",
            _ => "image/svg+xml",
        };
        assert!(kind.starts_with(wanted), "{path}: {kind}");
    }
    for path in ["/page/", "/page/mod.rs", "/page/%2e%2e/main.js", "/index.html"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
}

#[test]
fn questions_about_positions_are_answered() {
    let server = Server::start(&[]);
    let ask = |question: &str| {
        server.http(&format!(
            "POST /api/position HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{question}",
            question.len()
        ))
    };
    let (status, answer) = ask("{\"moves\": [\"f3\", \"e5\", \"g4\", \"Qh4\"]}");
    assert_eq!(status, 200, "{answer}");
    assert_eq!(header(&answer, "content-type"), "application/json");
    assert!(answer.contains("\"status\":\"checkmate\"") && answer.contains("\"san\":\"Qh4#\""), "{answer}");
    let (status, answer) = ask("{\"fen\": \"8/8/8/8/8/8/8/8 w - - 0 1\"}");
    assert_eq!(status, 400, "{answer}");
    assert!(answer.contains("each side needs a king"), "{answer}");
}
