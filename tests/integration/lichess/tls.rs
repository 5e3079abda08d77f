//! Encryption: a server whose certificate the system does not trust gets nothing.
