# The executable for musl in Alpine, with the shell and the package manager that pipelines want. Not root.
#
# Build, in a directory with a release: docker build -f standalone/alpine.Dockerfile --build-arg VERSION=2.0.0 dist/release
FROM alpine:3.22 AS files
ARG VERSION
WORKDIR /release
COPY SHA256SUMS httpcli-${VERSION}-linux-*64-musl.tar.gz ./
RUN set -eu; \
    case $(uname -m) in \
      x86_64) name=httpcli-$VERSION-linux-x64-musl ;; \
      aarch64) name=httpcli-$VERSION-linux-arm64-musl ;; \
      *) echo "no executable for $(uname -m)" >&2; exit 1 ;; \
    esac; \
    grep "  $name.tar.gz\$" SHA256SUMS >checksum; \
    sha256sum -c checksum; \
    tar -xzf "$name.tar.gz"; \
    mv "$name" files

FROM alpine:3.22
ARG VERSION
LABEL org.opencontainers.image.title="httpcli" \
      org.opencontainers.image.description="Sends HTTP requests, runs request files, serves directories." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# The one library that the executable needs and that the bare image does not have.
RUN apk add --no-cache libstdc++
COPY --from=files /release/files/httpcli /usr/local/bin/httpcli
COPY --from=files /release/files/LICENSE /release/files/THIRD-PARTY-NOTICES.txt /release/files/sbom.cdx.json /usr/local/share/doc/httpcli/
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["httpcli"]
CMD ["--help"]
