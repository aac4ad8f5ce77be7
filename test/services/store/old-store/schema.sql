CREATE TABLE "atelier"(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) NOT NULL DEFAULT '', expires BIGINT DEFAULT NULL, UNIQUE(key, namespace));
CREATE INDEX "atelier_expires_idx" ON "atelier" (expires) WHERE expires IS NOT NULL;
