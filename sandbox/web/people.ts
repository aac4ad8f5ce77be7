import type { User } from '../discord/world.ts';
import type { Person, Role } from './protocol.ts';

const blurbs: Readonly<Record<Role, string>> = {
  member: 'A member of the server.',
  other: 'Another member.',
  admin: 'An admin with Manage Server.',
  owner: 'Owns the servers and the application.',
  installer: 'Installed the app for themselves, in a server without the bot.',
};

const roles = Object.keys(blurbs) as Role[];

/** The furnished people are called what they are. */
const roleOf = ({ name }: User): Role | undefined => roles.find((role) => role === name);

export function personOf(user: User): Person | undefined {
  const role = roleOf(user);
  return role && { id: user.id, name: user.name, role, blurb: blurbs[role] };
}
