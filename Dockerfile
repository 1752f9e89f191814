# One image for all processes: `all` (the default), `gateway`, `engines`, `worker`.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production \
    APOLLO_TELEMETRY_DISABLED=true \
    HOST=0.0.0.0 \
    PORT=8000
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# /data holds the embedded store; /data/objects is where processes that share a MongoDB mount their common folder.
RUN mkdir -p /data/objects && chown -R node:node /data
USER node
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/gateway/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["all", "--data", "/data"]
