import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type GalleryItem, openLightbox } from './lightbox.tsx';

/** The size to which Discord limits a single image. */
const MAX_WIDTH_PX = 550;
const MAX_HEIGHT_PX = 350;

/**
 * A single image keeps its aspect ratio, and its space is reserved before it has loaded. Tiles are keyed by index and
 * not by URL, so after an edit a tile shows the old image until the new one has loaded.
 */
export function Gallery({ images }: { images: readonly GalleryItem[] }) {
  const stills = images.filter(({ isVideo }) => !isVideo);
  return (
    <div class="gallery" data-count={Math.min(images.length, 10)}>
      {images.map((image, index) => (
        <div key={index} class="tile" style={images.length === 1 ? single(image) : {}}>
          <SpoilerCover covered={image.isSpoiler}>
            {image.isVideo ? (
              <video controls preload="metadata" src={image.url} aria-label={image.alt || image.name} />
            ) : (
              <button
                type="button"
                class="image-button"
                aria-label={`Open ${image.alt || image.name}`}
                onClick={() => openLightbox(stills, stills.indexOf(image))}
              >
                <img src={image.url} alt={image.alt} width={image.width} height={image.height} decoding="async" />
              </button>
            )}
          </SpoilerCover>
          {image.alt !== '' && (
            <span class="alt-badge" title={image.alt} aria-hidden="true">
              ALT
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** Empty if the size is unknown, so the image determines it. */
function single({ width, height }: GalleryItem): Record<string, string> {
  if (width === undefined || height === undefined) return {};
  const scale = Math.min(1, MAX_WIDTH_PX / width, MAX_HEIGHT_PX / height);
  return { width: `${Math.round(width * scale)}px`, aspectRatio: `${width} / ${height}` };
}

export function SpoilerCover({ covered, children }: { covered: boolean; children: ComponentChildren }) {
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
