FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
# Volumes inherit owner and mode of these folders, so the appliance can run without root.
RUN install -d -o node -g node -m 0700 /data /certs
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json appliance.config.json LICENSE ./
COPY scripts/tagkeep.mjs scripts/build.mjs scripts/
ENV TAGKEEP_DATA_DIR=/data TAGKEEP_CERTS_DIR=/certs
USER node
VOLUME ["/data", "/certs"]
# Readers (MQTT over mutual TLS), HTTPS, and plain HTTP, which listens on loopback unless TAGKEEP_HTTP__HOST says otherwise.
EXPOSE 8883 8443 8080
# Data that is being upgraded takes as long as it takes. The running process says itself where its plain HTTP is, so another port needs no change here.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["node", "--input-type=module", "-e", \
  "const fs = await import('node:fs'); if (fs.existsSync('/data/run/upgrading')) process.exit(0); const { http } = JSON.parse(fs.readFileSync('/data/run/endpoints.json', 'utf8')); process.exit((await fetch(http + '/readyz')).ok ? 0 : 1)"]
ENTRYPOINT ["node", "/app/scripts/tagkeep.mjs"]
CMD ["serve"]
