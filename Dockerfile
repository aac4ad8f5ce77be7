# What it holds and how to run it: docs/operating.md.
FROM node:24.21.0-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The base image has Node. The drivers for Redis and Postgres are peers, which npm installs if they are not optional. Versions
# and digests are those of the lockfile.
RUN npm pkg delete devDependencies optionalDependencies peerDependenciesMeta \
  && npm ci --ignore-scripts \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \) -delete

FROM node:24.21.0-trixie-slim
LABEL org.opencontainers.image.title="Atelier" \
  org.opencontainers.image.description="A Discord bot that makes images, video, music and text through an AI gateway" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="MIT"

# The init: it passes signals on to Node and takes in the media processes that have ended.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*

# The network of a container is its own: nothing outside reaches the port unless it is published.
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 HTTP_PORT=9464
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY scripts scripts
COPY src src
RUN mkdir data node_modules/.cache && chown node:node data node_modules/.cache
# Settings that can be reloaded, if a folder with this file is mounted.
RUN ln -s settings/.env .env
USER node
# Without settings the bot loads everything and ends with 78. What Node has compiled is kept, because the root file system
# may be read-only when the image runs.
RUN node --import ./scripts/compile-cache.mjs src/index.ts 2>/dev/null || test $? -eq 78

# The default store is data/atelier.sqlite.
VOLUME /app/data
EXPOSE 9464
# Whether the bot can serve members. Docker shows it, and restarts nothing for it.
HEALTHCHECK --interval=15s --timeout=8s --start-period=60s --retries=3 \
  CMD ["node", "scripts/healthcheck.mjs", "/readyz"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "--max-semi-space-size=2", "--v8-pool-size=1", "--import", "./scripts/check-node.mjs", "--import", "./scripts/env-file.mjs", "--import", "./scripts/compile-cache.mjs", "src/index.ts"]
