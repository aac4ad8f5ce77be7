import type { FastifyPluginCallback } from 'fastify';

/** A plugin without a name of its own is looked for among all loaded modules, which takes longer than adding its routes. */
export const namedPlugin = (name: string, plugin: FastifyPluginCallback): FastifyPluginCallback =>
  Object.assign(plugin, { [Symbol.for('fastify.display-name')]: name });
