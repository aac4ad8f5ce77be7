import type { Button, Command, Form, Menu, Opener } from '../discord/handlers.ts';
import type { MessageContext } from '../messages/kind-view.ts';
import type { Services } from './services.ts';

/** Everything that a member meets under one command. The router, the registration, `/help` and the presenter are given what all of them have. */
export interface Feature {
  command: Command<Services>;
  menus?: readonly Menu<Services>[];
  buttons?: readonly Button<Services>[];
  openers?: readonly Opener<Services>[];
  forms?: readonly Form<Services>[];
  /** How its kinds of tasks are shown, where they differ from others. */
  views?: MessageContext['views'];
}
