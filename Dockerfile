# A server that analyzes positions, in an image that holds one static program. It runs without root.
#
#   docker build -t enfilade .
#   docker run -p 8080:8080 -v ./tokens.toml:/tokens.toml:ro enfilade
#
# tokens.toml names the clients that may use the server: see `enfilade serve --help`. Arguments after the image's name
# replace the last line, so `docker run -i enfilade uci` is a plain engine.

FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev gcc make
WORKDIR /source
COPY . .
# rust:alpine builds for musl and links statically.
RUN cargo build --release --locked --bin enfilade \
    && target/release/enfilade bench 2>/dev/null | grep -q "^Nodes searched *: *$(cat .ci/bench-signature)$"

FROM scratch
COPY --from=build /source/target/release/enfilade /enfilade
COPY --from=build /source/LICENSE /LICENSE
USER 65534:65534
EXPOSE 8080
ENTRYPOINT ["/enfilade"]
CMD ["serve", "--listen", "0.0.0.0:8080", "--token-file", "/tokens.toml"]
