import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { openPictures, type Picture } from './lightbox.tsx';

/** The most that Discord gives a single picture. */
const WIDEST = 550;
const HIGHEST = 350;

/**
 * One picture keeps its shape, more of them share a grid. Its place is kept before it has loaded. The tiles go by their
 * place and not by their address: an edit changes the picture in the tile, which shows the old one until the new one is there.
 */
export function Gallery({ pictures }: { pictures: readonly Picture[] }) {
  const pure = pictures.filter(({ isFilm }) => !isFilm);
  return (
    <div class="gallery" data-count={Math.min(pictures.length, 10)}>
      {pictures.map((picture, index) => (
        <div key={index} class="tile" style={pictures.length === 1 ? single(picture) : {}}>
          <Covered covered={picture.isSpoiler}>
            {picture.isFilm ? (
              <video controls preload="metadata" src={picture.url} aria-label={picture.alt || picture.name} />
            ) : (
              <button
                type="button"
                class="picture"
                aria-label={`Open ${picture.alt || picture.name}`}
                onClick={() => openPictures(pure, pure.indexOf(picture))}
              >
                <img
                  src={picture.url}
                  alt={picture.alt}
                  width={picture.width}
                  height={picture.height}
                  decoding="async"
                />
              </button>
            )}
          </Covered>
          {picture.alt !== '' && (
            <span class="alt-badge" title={picture.alt} aria-hidden="true">
              ALT
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** Nothing where the size is not known: then the picture itself decides. */
function single({ width, height }: Picture): Record<string, string> {
  if (width === undefined || height === undefined) return {};
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  return { width: `${Math.round(width * scale)}px`, aspectRatio: `${width} / ${height}` };
}

export function Covered({ covered, children }: { covered: boolean; children: ComponentChildren }) {
  const open = useSignal(false);
  if (!covered || open.value) return <>{children}</>;
  return (
    <div class="covered">
      <div class="under-cover" inert>
        {children}
      </div>
      <button type="button" class="cover" onClick={() => (open.value = true)}>
        Spoiler
      </button>
    </div>
  );
}
