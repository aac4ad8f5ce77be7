import type { Follower } from '../discord/follower.ts';
import type { Funnel } from '../discord/funnel.ts';
import { type Command, definersFor, type Handler, type HandlerContext, type Menu } from '../discord/handlers.ts';
import type { InteractionFacts } from '../discord/place.ts';
import type { RateLimiter } from '../discord/rates.ts';
import type { StringTree } from '../locales/index.ts';
import type { MessageContext } from '../messages/kind-view.ts';
import type { Messages } from '../messages/open-messages.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { GatewaySettings } from '../services/gateway/settings.ts';
import type { Engine } from '../services/operations/engine.ts';
import type { RuleTargets } from '../services/safety/rules-file.ts';
import type { Kind } from '../services/tasks/kind.ts';
import type { KindSpecs, TaskKind } from '../services/tasks/kind-spec.ts';
import type { ImageTransfer } from '../services/tasks/materials.ts';
import type { CommandsParts } from './parts.ts';
import type { ReportDelivery } from './server/report-delivery.ts';

/** What commands, buttons and forms use. `createCommands` assembles it. */
export interface Services extends CommandsParts, Engine, Messages {
  reportDelivery: ReportDelivery;
  ruleTargets: RuleTargets;
  rateLimiter: RateLimiter;
  follows: Follower;
  funnel: Funnel;
  /** Servers whose admins can see what the gateway account has spent. */
  adminGuildIds: readonly string[];
  /** The commands and menus that are registered for this place, with their ids. */
  registeredCommands(place: InteractionFacts): Promise<ReadonlyMap<string, string>>;
}

export type Context = HandlerContext<Services>;

export const { command, on } = definersFor<Services>();

export interface KindTools {
  gateway: Gateway;
  /** A kind of the image-prompt family (specification, 4.3), whose tasks are polled together. By default, it makes images, with the price and the duration of its name. */
  imgxKind<K extends TaskKind>(definition: Partial<Kind<K>> & Pick<Kind<K>, 'name'>): Kind<K>;
  imagineReferences: ImageTransfer;
  videosBody: GatewaySettings['videosBody'];
  callbackFields?: GatewaySettings['callbackFields'];
}

/** `command`: the strings that Discord and `/help` show for the command, its options and choices. Other strings are looked up by key. */
interface FeatureText extends StringTree {
  readonly command: StringTree;
}

/** Everything that belongs to one command. The router, the command registration, `/help`, the locale and the presenter are all built from the list of features. */
export interface Feature<Text extends FeatureText = FeatureText> {
  command: Command<Services>;
  text: Text;
  /** Only for those who can see the gateway account; `/help` hides it from others. */
  isForAccount?: true;
  menus?: readonly Menu<Services>[];
  handlers?: readonly Handler<Services>[];
  /** The request schemas and traits of its kinds. */
  specs?: Partial<KindSpecs>;
  /** How tasks of each kind are submitted and polled. */
  kinds?(tools: KindTools): readonly Kind[];
  /** How the messages of its kinds differ from the default. */
  views?: MessageContext['views'];
}
