import { ApplicationCommandType } from 'discord-api-types/v10';
import type { $ZodType } from 'zod/v4/core';
import { asList, asString, isAbsent, isObject, type JsonObject } from './json.ts';
import { duplicateNames, isMenu, validateLocales, validateName } from './names.ts';
import { validateOptions } from './options.ts';
import { requestOptions, commandSchemas as schema } from './schemas.ts';
import { validateShape } from './shape.ts';
import { commandSize } from './size.ts';
import { validateUniqueValues } from './unique-values.ts';
import { field, item, required, type Violation, violation } from './violation.ts';

const MAX_COMMAND_SIZE = 8000;

const COMMAND_LIMITS: ReadonlyMap<unknown, { readonly max: number; readonly label: string }> = new Map([
  [ApplicationCommandType.ChatInput, { max: 100, label: 'chat commands' }],
  [ApplicationCommandType.User, { max: 15, label: 'user commands' }],
  [ApplicationCommandType.Message, { max: 15, label: 'message commands' }],
  [ApplicationCommandType.PrimaryEntryPoint, { max: 1, label: 'entry points' }],
]);

/** Validates a bulk overwrite, the complete list of commands in one scope. */
export function validateCommands(body: unknown): Violation[] {
  if (!Array.isArray(body)) return [violation('', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType')];
  const commands = body.flatMap((object: unknown, index) =>
    isObject(object) ? [{ object, path: item('', index) }] : [],
  );
  return [
    ...body.flatMap((each, index) => validateOne(schema.overwrite, each, item('', index))),
    ...duplicateNames(commands, ({ object }) => typeOf(object)).map(({ path }) =>
      violation(path, 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique'),
    ),
    ...[...COMMAND_LIMITS]
      .filter(([type, { max }]) => commands.filter(({ object }) => typeOf(object) === type).length > max)
      .map(([, { max, label }]) =>
        violation('', 'APPLICATION_COMMANDS_TOO_MANY', `An application can have at most ${max} ${label}`),
      ),
  ];
}

/** Validates a create or an edit; only an edit may omit the name. */
export function validateCommand(body: unknown): Violation[] {
  const isEdit = isObject(body) && body.name === undefined && Object.keys(body).length > 0;
  return validateOne(isEdit ? schema.edit : schema.create, body, '');
}

const typeOf = (command: JsonObject): unknown =>
  isAbsent(command.type) ? ApplicationCommandType.ChatInput : command.type;

function validateOne(shape: $ZodType, body: unknown, path: string): Violation[] {
  const shapeViolations = validateShape(shape, withNumericPermissions(body), path, requestOptions);
  if (!isObject(body)) return shapeViolations;
  const type = typeOf(body);
  return [
    ...shapeViolations,
    ...validateName(body, path, isMenu(type)),
    ...validateLocales(body, path),
    ...validateDescription(body, type, path),
    ...validateOptionsOf(body, type, field(path, 'options')),
    ...['contexts', 'integration_types'].flatMap((key) => validateUniqueValues(body[key], field(path, key))),
    ...(commandSize(body) > MAX_COMMAND_SIZE
      ? [violation(path, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${MAX_COMMAND_SIZE})`)]
      : []),
  ];
}

function validateOptionsOf(command: JsonObject, type: unknown, fieldPath: string): Violation[] {
  if (!isMenu(type)) return validateOptions(command.options, fieldPath);
  if (asList(command.options).length === 0) return [];
  return [violation(fieldPath, 'APPLICATION_COMMAND_MENU_OPTIONS', 'Context menu commands cannot have options')];
}

/** discord.js sends permissions as a string of digits, as documented, but the schema requires a number. */
function withNumericPermissions(body: unknown): unknown {
  if (!isObject(body)) return body;
  const permissions = body.default_member_permissions;
  if (typeof permissions !== 'string' || !/^\d+$/.test(permissions)) return body;
  return { ...body, default_member_permissions: Number(permissions) };
}

function validateDescription(command: JsonObject, type: unknown, path: string): Violation[] {
  // An edit without a name may also omit the description.
  if (command.name === undefined) return [];
  const fieldPath = field(path, 'description');
  const text = asString(command.description);
  if (isMenu(type) && text !== '') {
    return [
      violation(fieldPath, 'APPLICATION_COMMAND_MENU_DESCRIPTION', 'Context menu commands cannot have a description'),
    ];
  }
  const isMissing = isAbsent(command.description) || command.description === '';
  return type === ApplicationCommandType.ChatInput && isMissing ? [required(fieldPath)] : [];
}
