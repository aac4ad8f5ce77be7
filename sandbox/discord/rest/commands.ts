import type { FastifyRequest } from 'fastify';
import type { Command, CommandBody } from '../command-registry.ts';
import { localizedCommand } from '../localized-command.ts';
import type { Parts, Routes } from '../parts.ts';
import { missingAccess } from '../refusal.ts';

type CommandRequest = {
  Params: { application: string; guild?: string; command?: string };
  Querystring: { with_localizations?: string };
};

/** Routes for global commands and guild commands (documentation, interactions/application-commands, "Endpoints"). */
export const commandRoutes: Routes = (server, parts) => {
  const { validator, registry, stream } = parts;
  const publishChange = () => stream.publish({ kind: 'world', what: { commands: true } });
  server.get<CommandRequest>('/applications/:application/guilds/:guild/commands/permissions', (request) => {
    const guildId = scopeOf(request, parts) ?? '';
    return (parts.world.guilds.get(guildId)?.commandPermissions ?? []).map((set) => ({
      ...set,
      application_id: parts.world.applicationId,
      guild_id: guildId,
    }));
  });
  for (const commandsRoute of [
    '/applications/:application/commands',
    '/applications/:application/guilds/:guild/commands',
  ]) {
    const commandRoute = `${commandsRoute}/:command`;
    server.get<CommandRequest>(commandsRoute, (request) => {
      const commands = registry.list(scopeOf(request, parts));
      const includesLocalizations = request.query.with_localizations === 'true';
      const locale = localeOf(request, parts);
      const shown = includesLocalizations ? commands : commands.map((one) => localizedCommand(one, locale));
      return validator.checkResponse('commands', shown);
    });
    server.put<CommandRequest>(commandsRoute, (request) => {
      const scope = scopeOf(request, parts);
      validator.checkBody(commandsRoute, 'commands', request.payload.body);
      const commands = registry.overwrite(scope, request.payload.body as CommandBody[]);
      publishChange();
      return validator.checkResponse('commands', commands);
    });
    server.post<CommandRequest>(commandsRoute, (request, reply) => {
      const scope = scopeOf(request, parts);
      validator.checkBody(commandsRoute, 'command', request.payload.body);
      const { command, isNew } = registry.put(scope, request.payload.body as CommandBody);
      publishChange();
      reply.code(isNew ? 201 : 200);
      return validator.checkResponse('command', command);
    });
    server.get<CommandRequest>(commandRoute, (request) =>
      validator.checkResponse('command', registry.get(scopeOf(request, parts), idOf(request))),
    );
    server.patch<CommandRequest>(commandRoute, (request) => {
      const scope = scopeOf(request, parts);
      const existing = registry.get(scope, idOf(request));
      const body = request.payload.body as Partial<Command>;
      // An edit may omit any key, so the resulting command is validated.
      validator.checkBody(commandRoute, 'command', { ...writableFieldsOf(existing), ...body });
      const command = registry.edit(scope, existing.id, body);
      publishChange();
      return validator.checkResponse('command', command);
    });
    server.delete<CommandRequest>(commandRoute, (request, reply) => {
      registry.remove(scopeOf(request, parts), idOf(request));
      publishChange();
      return reply.code(204).send();
    });
  }
};

function scopeOf({ params }: FastifyRequest<CommandRequest>, { world }: Parts): string | undefined {
  if (params.application !== world.applicationId) throw missingAccess();
  if (params.guild !== undefined && !world.guilds.get(params.guild)?.installed) throw missingAccess();
  return params.guild;
}

const idOf = ({ params }: FastifyRequest<CommandRequest>) => params.command ?? '';

/** Of the requester (documentation, "Retrieving localized commands"). */
function localeOf({ headers }: FastifyRequest, { world }: Parts): string {
  const [accepted = ''] = headers['accept-language']?.split(/[,;]/) ?? [];
  return String(headers['x-discord-locale'] ?? '') || accepted || world.bot.locale;
}

function writableFieldsOf(command: Command): Record<string, unknown> {
  const { id: _, application_id: __, version: ___, guild_id: ____, dm_permission: _____, ...rest } = command;
  return rest.type === 1 ? rest : (({ description: ______, ...menu }) => menu)(rest);
}
