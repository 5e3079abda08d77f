# A server that analyzes positions, in an image that holds one static program. It runs without root.
#
#   docker build -t enfilade --build-arg COMMIT=$(git rev-parse --short=12 HEAD) .
#   docker run -p 7643:7643 --user $(id -u) -v ./tokens.toml:/tokens.toml:ro -v enfilade:/state enfilade
#
# tokens.toml names the clients that may use the server: docs/server.md, "Tokens", has its format. A file of secrets has
# mode 600, and --user lets its owner read it. The volume keeps the table from one start to the next.
#
# The table takes a quarter of the memory that is free in the container; `--memory 8g` limits it. Arguments after the
# image's name replace the whole last line, for example with TLS:
#
#   docker run ... -v ./tls:/tls:ro enfilade serve --listen 0.0.0.0:7643 --token-file /tokens.toml --state /state \
#       --tls-cert /tls/cert.pem --tls-key /tls/key.pem --hash 4096
#
# Without TLS, put a proxy with TLS in front. `docker run -i enfilade uci` is a plain engine. The image has the usual
# certificates, so `lichess` and queues at rediss:// work too.

FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev gcc make ca-certificates
WORKDIR /source
COPY . .
ARG COMMIT=
ENV ENFILADE_COMMIT=$COMMIT
# rust:alpine builds for musl and links statically.
RUN cargo build --release --locked --bin enfilade \
    && target/release/enfilade bench 2>/dev/null | grep -q "^Nodes searched *: *$(cat .ci/bench-signature)$" \
    && install -d -m 1777 /image/state

FROM scratch
COPY --from=build /source/target/release/enfilade /enfilade
COPY --from=build /source/LICENSE /LICENSE
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
# The folder /state, in which anybody may write, so that the user of --user can. Its mode is kept because it lies in
# what is copied.
COPY --from=build /image /
USER 65534:65534
VOLUME /state
EXPOSE 7643
ENTRYPOINT ["/enfilade"]
CMD ["serve", "--listen", "0.0.0.0:7643", "--token-file", "/tokens.toml", "--state", "/state"]
