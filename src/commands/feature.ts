import { type Command, definersFor, type Handler, type HandlerContext, type Menu } from '../discord/handlers.ts';
import type { MessageContext } from '../messages/kind-view.ts';
import type { Gateway } from '../services/gateway/gateway.ts';
import type { GatewaySettings } from '../services/gateway/settings.ts';
import type { Kind } from '../services/tasks/kind.ts';
import type { KindSpecs, TaskKind } from '../services/tasks/kind-spec.ts';
import type { ImageTransfer } from '../services/tasks/materials.ts';
import type { CommandSources } from './command-sources.ts';
import type { ReportDelivery } from './server/report-delivery.ts';

/** What commands, buttons and forms use. `openCommands` assembles it. */
export interface Services extends CommandSources {
  reportDelivery: ReportDelivery;
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

/** Everything that belongs to one command. The router, the command registration, `/help`, the locale and the presenter are all built from the list of features. */
export interface Feature {
  command: Command<Services>;
  /** Only for those who can see the gateway account; `/help` hides it from others. */
  isForAccount?: true;
  menus?: readonly Menu<Services>[];
  handlers?: readonly Handler<Services>[];
  /** The request schemas and traits of its kinds. */
  specs?: Partial<KindSpecs>;
  /** The kinds that its command orders, if they belong to another feature. */
  orders?: readonly TaskKind[];
  /** How tasks of each kind are submitted and polled. */
  kinds?(tools: KindTools): readonly Kind[];
  /** How the messages of its kinds differ from the default. */
  views?: MessageContext['views'];
}
