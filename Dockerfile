# syntax=docker/dockerfile:1

# Compiles the program. The bundle of the command line holds most of its dependencies.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# Not `npm ci`: the lock file does not name the binaries of every platform.
RUN npm install --no-save --ignore-scripts
# The compiler reads from it how the pages are written.
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN node scripts/build.ts

# What cannot be bundled: native code, and the clients of the stores. Binaries for other machines are taken out.
FROM node:24-bookworm-slim AS modules
WORKDIR /app
COPY infra/image/package.json infra/image/package-lock.json ./
RUN npm ci --ignore-scripts \
  && find node_modules/onnxruntime-node/bin/napi-v6 -mindepth 2 -maxdepth 2 \
    ! -path "*/linux/$(node -p process.arch)" -exec rm -rf {} +

FROM node:24-bookworm-slim
# A server installs nothing: the package managers go.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && ln -s /app/node_modules/nokosu/bin/nokosu.mjs /usr/local/bin/nokosu \
  && mkdir /data \
  && chown node:node /data
COPY --from=modules /app /app
COPY infra/image/healthy.mjs infra/image/first-token.ts /app/
COPY package.json LICENSE /app/node_modules/nokosu/
COPY agents /app/node_modules/nokosu/agents
COPY bin /app/node_modules/nokosu/bin
COPY models /app/node_modules/nokosu/models
COPY --from=build /build/dist /app/node_modules/nokosu/dist
ENV NODE_ENV=production HOME=/data NOKOSU_DB=sqlite:/data/memory.db
# The user `node`, as a number, so that Kubernetes can see that it is not root.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4816
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["node", "/app/healthy.mjs", "/readyz"]
# On SIGTERM the server takes no new requests, and those that have begun get 10 seconds. The program is process 1 and gets it itself.
STOPSIGNAL SIGTERM
ENTRYPOINT ["nokosu"]
CMD ["serve", "--host", "0.0.0.0", "--port", "4816", "--sweep-at", "03:00"]
