import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { setText } from '../composer/draft.ts';
import { showMessage } from '../shell/show-message.ts';
import { now } from '../state/clock.ts';
import { channelOf, nameOf, openChannel, roleOf } from '../state/world.ts';
import { parseBlocks } from './blocks.ts';
import { Emoji } from './emoji.tsx';
import { relativeTime, timeText } from './time.ts';
import type { Block, Inline } from './tree.ts';

/** Renders message text as Discord does. */
export function Markdown({ text }: { text: string }) {
  const tree = useMemo(() => parseBlocks(text), [text]);
  return (
    <div class={isEmojiOnly(text) ? 'markdown big-emoji' : 'markdown'}>
      <Blocks blocks={tree} />
    </div>
  );
}

const isEmojiOnly = (text: string) => /^(?:\p{RGI_Emoji}\s*){1,27}$/v.test(text);

function Blocks({ blocks: all }: { blocks: readonly Block[] }) {
  return <>{all.map((block, index) => one(block, index))}</>;
}

function one(block: Block, key: number): JSX.Element {
  switch (block.type) {
    case 'paragraph':
      return (
        <p key={key}>
          <Inlines inner={block.inner} />
        </p>
      );
    case 'subtext':
      return (
        <p key={key} class="subtext">
          <Inlines inner={block.inner} />
        </p>
      );
    case 'heading':
      return (
        <div key={key} class={`heading heading-${block.level}`} role="heading" aria-level={block.level + 3}>
          <Inlines inner={block.inner} />
        </div>
      );
    case 'quote':
      return (
        <blockquote key={key}>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'code':
      return (
        <pre key={key} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case 'list': {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.start === undefined ? (
        <ul key={key}>{items}</ul>
      ) : (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      );
    }
  }
}

function Inlines({ inner }: { inner: readonly Inline[] }) {
  return <>{inner.map((node, index) => span(node, index))}</>;
}

function span(node: Inline, key: number): ComponentChildren {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'break':
      return <br key={key} />;
    case 'strong':
      return (
        <strong key={key}>
          <Inlines inner={node.inner} />
        </strong>
      );
    case 'em':
      return (
        <em key={key}>
          <Inlines inner={node.inner} />
        </em>
      );
    case 'underline':
      return (
        <u key={key}>
          <Inlines inner={node.inner} />
        </u>
      );
    case 'strike':
      return (
        <s key={key}>
          <Inlines inner={node.inner} />
        </s>
      );
    case 'spoiler':
      return (
        <Spoiler key={key}>
          <Inlines inner={node.inner} />
        </Spoiler>
      );
    case 'code':
      return <code key={key}>{node.text}</code>;
    case 'link':
      return (
        <Link key={key} href={node.href}>
          <Inlines inner={node.inner} />
        </Link>
      );
    case 'user':
      return <UserMention key={key} id={node.id} />;
    case 'role':
      return (
        <span key={key} class="mention">
          @{roleOf(node.id)?.name ?? 'unknown-role'}
        </span>
      );
    case 'channel':
      return <ChannelMention key={key} id={node.id} />;
    case 'command':
      return (
        <button key={key} type="button" class="mention" onClick={() => setText(`/${node.name}`)}>
          /{node.name}
        </button>
      );
    case 'time':
      return <Time key={key} at={node.seconds * 1_000} style={node.style} />;
    case 'emoji':
      return `:${node.name}:`;
    case 'keycap':
      return <Emoji key={key} name={node.text} />;
    case 'everyone':
      return (
        <span key={key} class="mention">
          {node.text}
        </span>
      );
  }
}

const MESSAGE = /^https:\/\/(?:\w+\.)?discord\.com\/channels\/(?:@me|\d+)\/(\d+)(?:\/(\d+))?$/;

/** Links to messages of this sandbox jump to them; all others open a new tab. */
function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const [, channel = '', message] = MESSAGE.exec(href) ?? [];
  if (channelOf(channel))
    return (
      <button
        type="button"
        class="as-link"
        onClick={() => {
          openChannel(channel);
          if (message !== undefined) showMessage(message);
        }}
      >
        {children}
      </button>
    );
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

function Spoiler({ children }: { children: ComponentChildren }) {
  const open = useSignal(false);
  if (open.value) return <span class="spoiler open">{children}</span>;
  return (
    <button type="button" class="spoiler" aria-label="Spoiler: press to show" onClick={() => (open.value = true)}>
      <span inert>{children}</span>
    </button>
  );
}

function UserMention({ id }: { id: string }) {
  return <span class="mention">@{nameOf(id)}</span>;
}

function ChannelMention({ id }: { id: string }) {
  const known = channelOf(id);
  if (!known) return <span class="mention">#unknown</span>;
  return (
    <button type="button" class="mention" onClick={() => openChannel(id)}>
      #{known.name}
    </button>
  );
}

function Time({ at, style }: { at: number; style: string }) {
  const text = style === 'R' ? relativeTime(at, now.value) : timeText(at, style);
  return (
    <time class="timestamp" dateTime={new Date(at).toISOString()} title={timeText(at, 'F')}>
      {text}
    </time>
  );
}
