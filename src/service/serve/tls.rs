//! TLS: the certificate and the key from files.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::plan::{ServeError, TlsFiles};

/// Reads the files. Clients need no certificate of their own.
pub(super) fn acceptor(TlsFiles { certificates, key }: &TlsFiles) -> Result<TlsAcceptor, ServeError> {
    let unusable = |path: &Path, reason: String| ServeError::Tls { path: path.to_owned(), reason };
    let chain: Vec<CertificateDer> = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(certificates, error.to_string()))?;
    if chain.is_empty() {
        return Err(unusable(certificates, "it has no certificate".to_owned()));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, error.to_string()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
        .map_err(|error| unusable(certificates, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
