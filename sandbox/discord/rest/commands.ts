import type { FastifyRequest } from 'fastify';
import type { Parts, Routes } from '../parts.ts';
import { missingAccess } from '../refusal.ts';
import type { Command, CommandBody } from '../registry.ts';

type Scoped = {
  Params: { application: string; guild?: string; command?: string };
  Querystring: { with_localizations?: string };
};

/** Documentation, interactions/application-commands, "Endpoints", for both scopes. */
export const commandRoutes: Routes = (server, parts) => {
  const { validator, registry, stream } = parts;
  const tell = () => stream.tell({ kind: 'world', what: { commands: true } });
  for (const base of ['/applications/:application/commands', '/applications/:application/guilds/:guild/commands']) {
    const one = `${base}/:command`;
    server.get<Scoped>(base, (request) => {
      const commands = registry.list(scopeOf(request, parts));
      const full = request.query.with_localizations === 'true';
      return validator.response('commands', full ? commands : commands.map(withoutLocalizations));
    });
    server.put<Scoped>(base, (request) => {
      const scope = scopeOf(request, parts);
      validator.body(base, 'commands', request.sent.body);
      const commands = registry.overwrite(scope, request.sent.body as CommandBody[]);
      tell();
      return validator.response('commands', commands);
    });
    server.post<Scoped>(base, (request, reply) => {
      const scope = scopeOf(request, parts);
      validator.body(base, 'command', request.sent.body);
      const { command, isNew } = registry.put(scope, request.sent.body as CommandBody);
      tell();
      reply.code(isNew ? 201 : 200);
      return validator.response('command', command);
    });
    server.get<Scoped>(one, (request) =>
      validator.response('command', registry.get(scopeOf(request, parts), idOf(request))),
    );
    server.patch<Scoped>(one, (request) => {
      const scope = scopeOf(request, parts);
      const existing = registry.get(scope, idOf(request));
      const body = request.sent.body as Partial<Command>;
      // An edit may omit any key, so the resulting command is validated.
      validator.body(one, 'command', { ...writable(existing), ...body });
      const command = registry.edit(scope, existing.id, body);
      tell();
      return validator.response('command', command);
    });
    server.delete<Scoped>(one, (request, reply) => {
      registry.remove(scopeOf(request, parts), idOf(request));
      tell();
      return reply.code(204).send();
    });
  }
};

function scopeOf({ params }: FastifyRequest<Scoped>, { world }: Parts): string | undefined {
  if (params.application !== world.applicationId) throw missingAccess();
  if (params.guild !== undefined && !world.guilds.get(params.guild)?.installed) throw missingAccess();
  return params.guild;
}

const idOf = ({ params }: FastifyRequest<Scoped>) => params.command ?? '';

/** Lists omit localizations unless `with_localizations` is set. */
function withoutLocalizations(command: Command): unknown {
  return JSON.parse(
    JSON.stringify(command, (key, value: unknown) =>
      key === 'name_localizations' || key === 'description_localizations' ? undefined : value,
    ),
  );
}

function writable(command: Command): Record<string, unknown> {
  const { id: _, application_id: __, version: ___, guild_id: ____, dm_permission: _____, ...rest } = command;
  return rest.type === 1 ? rest : (({ description: ______, ...menu }) => menu)(rest);
}
