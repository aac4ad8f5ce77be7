import type { User } from '../discord/world.ts';
import type { Person, Role } from './protocol.ts';

const DESCRIPTIONS: Readonly<Record<Role, string>> = {
  member: 'A member of the server.',
  other: 'Another member of the server.',
  admin: 'An admin with the Manage Server permission.',
  owner: 'The owner of the servers and the app.',
  installer: 'Installed the app for their own account; the server does not have the bot.',
};

const ROLES = Object.keys(DESCRIPTIONS) as Role[];

/** The role of a predefined user, which is also the user's name. */
const roleOf = ({ name }: User): Role | undefined => ROLES.find((role) => role === name);

export function personOf(user: User): Person | undefined {
  const role = roleOf(user);
  return role && { id: user.id, name: user.name, role, blurb: DESCRIPTIONS[role], locale: user.locale };
}
