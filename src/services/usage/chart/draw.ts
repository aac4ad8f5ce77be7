import { fileURLToPath } from 'node:url';
import { chartOf } from './option.ts';
import type { BarPicture } from './picture.ts';

/** The only fonts there are: a slim machine has none of its own. */
const fontFiles = [
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'),
  import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'),
].map((address) => fileURLToPath(address));

/** Twice what Discord shows of it, so it is sharp on a dense screen; much more than that costs tens of megabytes. */
const ZOOM = 1.75;

/** A chart as a drawing. Its library takes a second to load and much memory, so it comes when the first chart is wanted. */
export async function svgOf(picture: BarPicture): Promise<string> {
  const [{ init, use }, { BarChart }, { GridComponent, TitleComponent }, { SVGRenderer }] = await Promise.all([
    import('echarts/core'),
    import('echarts/charts'),
    import('echarts/components'),
    import('echarts/renderers'),
  ]);
  use([BarChart, GridComponent, TitleComponent, SVGRenderer]);
  const { width, height, option } = chartOf(picture);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** A chart as a PNG. */
export async function drawChart(picture: BarPicture): Promise<Buffer> {
  const { renderAsync } = await import('@resvg/resvg-js');
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'DejaVu Sans Condensed' };
  const image = await renderAsync(await svgOf(picture), { font, fitTo: { mode: 'zoom', value: ZOOM } });
  return image.asPng();
}
