import type { Button, Command, Form, Menu, Opener } from '../discord/handlers.ts';
import type { Sentences } from '../locales/index.ts';
import type { MessageContext } from '../messages/kind-view.ts';
import type { Gateway } from '../services/gateway/index.ts';
import type { Kind, Source } from '../services/tasks/kind.ts';
import type { KindSpecs } from '../services/tasks/task.ts';
import type { Services } from './services.ts';

/** What kinds are made of. */
interface KindTools {
  gateway: Gateway;
  /** Where all tasks of the image-prompt family are polled, several features' among them. */
  imgx: Source;
}

/** `command`: what Discord shows of the command, its options and choices, and `/help` tells of it. All else is said by its key. */
interface FeatureText extends Sentences {
  readonly command: Sentences;
}

/** Everything that a member meets under one command. The router, the registration, `/help`, the locale and the presenter are given what all of them have. */
export interface Feature<Text extends FeatureText = FeatureText> {
  command: Command<Services>;
  text: Text;
  menus?: readonly Menu<Services>[];
  buttons?: readonly Button<Services>[];
  openers?: readonly Opener<Services>[];
  forms?: readonly Form<Services>[];
  /** What is known of its kinds of jobs wherever their tasks are. */
  specs?: Partial<KindSpecs>;
  /** How each is ordered and polled. */
  kinds?(tools: KindTools): readonly Kind[];
  /** How its kinds of tasks are shown, where they differ from others. */
  views?: MessageContext['views'];
}
