import type { APIEmbed, APIEmbedImage } from 'discord-api-types/v10';
import { Markdown } from '../markdown/markdown.tsx';
import { messageTime } from '../markdown/time.ts';
import { today } from '../state/clock.ts';
import { Gallery } from './gallery.tsx';

export function Embeds({ embeds }: { embeds: readonly APIEmbed[] }) {
  return (
    <>
      {embeds.map((embed, index) => (
        <Embed key={index} embed={embed} />
      ))}
    </>
  );
}

export const colourOf = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`;

function Embed({ embed }: { embed: APIEmbed }) {
  const { title, url, description, color, author, fields = [], image, thumbnail, footer, timestamp } = embed;
  return (
    <div class="embed" style={color === undefined ? {} : { '--accent': colourOf(color) }}>
      <div class="embed-words">
        {author && <p class="embed-author">{author.name}</p>}
        {title !== undefined && (
          <div class="embed-title">
            {url === undefined ? (
              <Markdown text={title} />
            ) : (
              <a href={url} target="_blank" rel="noreferrer">
                {title}
              </a>
            )}
          </div>
        )}
        {description !== undefined && <Markdown text={description} />}
        {fields.length > 0 && (
          <dl class="embed-fields">
            {fields.map(({ name, value, inline }) => (
              <div key={name} class={inline ? 'inline' : ''}>
                <dt>
                  <Markdown text={name} />
                </dt>
                <dd>
                  <Markdown text={value} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {thumbnail && <img class="embed-thumbnail" src={thumbnail.url} alt={thumbnail.description ?? ''} />}
      {image && <Gallery images={[imageOf(image)]} />}
      {(footer || timestamp) && (
        <p class="embed-footer">
          {[footer?.text, timestamp && messageTime(Date.parse(timestamp), today.value)].filter(Boolean).join(' • ')}
        </p>
      )}
    </div>
  );
}

const imageOf = ({ url, width, height, description }: APIEmbedImage) => ({
  url,
  alt: description ?? '',
  name: 'image',
  width,
  height,
  isVideo: false,
  isSpoiler: false,
});
