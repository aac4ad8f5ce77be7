import type { FastifyPluginCallback } from 'fastify';

/** Names a plugin. For a plugin without a name, Fastify searches all loaded modules, which takes longer than adding its routes. */
export const namedPlugin = (name: string, plugin: FastifyPluginCallback): FastifyPluginCallback =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });
