import { signal } from '@preact/signals';
import { Dialog } from '../shell/dialog.tsx';
import { Icon } from '../shell/icons.tsx';

export interface GalleryItem {
  readonly url: string;
  readonly alt: string;
  readonly name: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly isVideo: boolean;
  readonly isSpoiler: boolean;
}

const open = signal<{ readonly images: readonly GalleryItem[]; readonly at: number } | undefined>(undefined);

export function openLightbox(images: readonly GalleryItem[], at: number): void {
  open.value = { images, at: Math.max(0, at) };
}

function showNext(step: number): void {
  if (!open.value) return;
  const { images, at } = open.value;
  open.value = { images, at: (at + step + images.length) % images.length };
}

/** Shows images in full size, one at a time. */
export function Lightbox() {
  const { images = [], at = 0 } = open.value ?? {};
  const image = images[at];
  if (!image) return null;
  const close = () => {
    open.value = undefined;
  };
  return (
    <Dialog
      class="lightbox"
      first="button"
      label={`Image ${at + 1} of ${images.length}`}
      onClose={close}
      onKeyDown={({ key }) => {
        if (key === 'ArrowLeft') showNext(-1);
        if (key === 'ArrowRight') showNext(1);
      }}
    >
      <figure>
        <img src={image.url} alt={image.alt || image.name} width={image.width} height={image.height} />
        <figcaption>
          <span class="lightbox-alt">{image.alt || image.name}</span>
          {images.length > 1 && (
            <span class="lightbox-count">
              {at + 1} / {images.length}
            </span>
          )}
        </figcaption>
      </figure>
      <div class="lightbox-tools">
        <a
          class="icon-button"
          href={image.url}
          target="_blank"
          rel="noreferrer"
          aria-label="Open in a new tab"
          title="Open in a new tab"
        >
          <Icon name="open" />
        </a>
        <button type="button" class="icon-button" aria-label="Close" title="Close (Escape)" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {images.length > 1 && (
        <>
          <button type="button" class="lightbox-turn back" aria-label="Previous image" onClick={() => showNext(-1)}>
            <Icon name="left" size={28} />
          </button>
          <button type="button" class="lightbox-turn on" aria-label="Next image" onClick={() => showNext(1)}>
            <Icon name="right" size={28} />
          </button>
        </>
      )}
    </Dialog>
  );
}
