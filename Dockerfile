# syntax=docker/dockerfile:1
FROM node:26-trixie-slim AS pack
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The one script among them would fetch another Node.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm pack

# The package with what it needs, in the versions of the lock file; the drivers, which are optional
# elsewhere, are needed here.
FROM node:26-trixie-slim AS install
WORKDIR /app
COPY --from=pack /build/vitrine-*.tgz /build/package-lock.json /build/.npmrc ./
RUN tar -xzf vitrine-*.tgz --strip-components=1 \
  && rm vitrine-*.tgz \
  && npm pkg set $(node -p "Object.entries(require('./package.json').peerDependencies).map(([name, range]) => 'dependencies.' + name + '=' + range).join(' ')") \
  && npm pkg delete devDependencies peerDependencies peerDependenciesMeta scripts \
  && npm install --ignore-scripts --no-audit --no-fund
# What Node makes of the code is kept for every start, as nothing can be written here later. It is made
# by the user and with the flags of those starts, or it would not be theirs.
RUN install -d -o node -g node .cache
USER node
RUN ["node", "--min-semi-space-size=4", "--max-semi-space-size=4", "--no-parallel-scavenge", "bin/vitrine.js", "--version"]
RUN chmod -R a+rX .cache

FROM node:26-trixie-slim
LABEL org.opencontainers.image.title="Vitrine" \
  org.opencontainers.image.description="A glass case for HTTP" \
  org.opencontainers.image.licenses="MIT"
# SQLite sorts what is large in a file, and /tmp cannot be written where the root is read-only.
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATABASE_URL=sqlite:/data/vitrine.db \
  FILES_URL=file:/data/files \
  SQLITE_TMPDIR=/data
RUN install -d -m 700 -o node -g node /data
WORKDIR /app
COPY --from=install --chown=root:root /app ./
COPY deploy/healthcheck.js ./
# By number, so that Kubernetes sees that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["node", "/app/healthcheck.js"]
ENTRYPOINT ["node", "--min-semi-space-size=4", "--max-semi-space-size=4", "--no-parallel-scavenge", "/app/bin/vitrine.js"]
