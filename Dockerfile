# A server that analyzes positions: docker build -t enfilade . && docker run -p 8080:8080 enfilade
# The image holds one static program and one preset. It runs without root and writes nothing.

FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev gcc make
WORKDIR /source
COPY . .
# rust:alpine builds for musl and links statically. Its own RUSTFLAGS are none, so .cargo/config.toml holds.
RUN cargo build --release --locked --bin enfilade \
    && target/release/enfilade bench 2>/dev/null | grep -q "^Nodes searched *: *$(cat .ci/bench-signature)$"

FROM scratch
COPY --from=build /source/target/release/enfilade /enfilade
COPY --from=build /source/configs/analysis-server.toml /analysis-server.toml
COPY --from=build /source/LICENSE /LICENSE
USER 65534:65534
EXPOSE 8080
ENTRYPOINT ["/enfilade"]
CMD ["serve", "--listen", "0.0.0.0:8080"]
