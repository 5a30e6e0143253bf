# The service on its own Node, without node_modules: the image holds dist/ and nothing else of the project.
# It needs a PostgreSQL 15 or newer (DATABASE_URL); the embedded one is not in it. See docker-compose.yml.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
# Install scripts are for development: nothing that is bundled needs them.
RUN npm ci --ignore-scripts
COPY build build
COPY docs docs
COPY src src
RUN npm run -s bundle

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 COUNTERSIGN_DATA_DIR=/var/lib/countersign
WORKDIR /app
COPY --from=build /app/dist dist
# Holds a generated admin token when COUNTERSIGN_ADMIN_TOKEN is not set.
RUN mkdir -p /var/lib/countersign && chown node:node /var/lib/countersign && chmod 700 /var/lib/countersign
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# SIGTERM: the service drains (COUNTERSIGN_DRAIN_SECONDS, 5), and ends up to 15 seconds later.
STOPSIGNAL SIGTERM
CMD ["node", "dist/main.js"]
