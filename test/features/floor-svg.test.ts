import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { sanitiseSvg } from '../../src/features/floor/sanitise-svg.ts';
import { computingStallOf } from '../support/stall.ts';

const svg = (inner: string, attributes = 'viewBox="0 0 100 50"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inner}</svg>`;

async function clean(drawing: string) {
  const { bytes, ...rest } = await sanitiseSvg(Buffer.from(drawing));
  return { ...rest, text: bytes.toString() };
}
const refusal = (text: string): Promise<string> =>
  clean(text).then(
    () => 'taken',
    (error: Error) => error.message,
  );

/** What drives a browser to do more than draw. */
const attacks: readonly string[] = [
  '<script>alert(1)</script>',
  '<script href="data:text/javascript,alert(1)"/>',
  '<SCRIPT>alert(1)</SCRIPT>',
  '<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>',
  '<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>',
  '<x xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="alert(1)"/></x>',
  '<g onload="alert(1)"/>',
  '<rect onclick="alert(1)" ONMOUSEOVER="alert(2)" width="1"/>',
  '<a href="javascript:alert(1)"><text>x</text></a>',
  '<a xlink:href="java&#10;script:alert(1)"><circle r="1"/></a>',
  '<use href="http://evil.example/x.svg#a"/>',
  '<use xlink:href="data:image/svg+xml;base64,PHN2Zy8+#x"/>',
  '<use href=" //evil.example#a"/>',
  '<image href="http://evil.example/x.png"/>',
  '<image xlink:href="data:image/svg+xml,%3Csvg onload=alert(1)%3E"/>',
  '<feImage href="http://evil.example/x"/>',
  '<filter id="f"><feImage xlink:href="//evil.example/x"/></filter>',
  '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject>',
  '<foreignObject><iframe src="javascript:alert(1)"/></foreignObject>',
  '<animate attributeName="href" values="javascript:alert(1)"/>',
  '<a><set attributeName="href" to="javascript:alert(1)"/><text>x</text></a>',
  '<set attributeName="onload" to="alert(1)"/>',
  '<handler xmlns="http://www.w3.org/2001/xml-events" type="text/javascript">alert(1)</handler>',
  '<rect fill="url(http://evil.example/x#a)"/>',
  '<rect fill="url(#a), url(//evil.example/b)"/>',
  '<rect style="fill:url(&quot;http://evil.example/x&quot;)"/>',
  '<rect style="background:url(javascript:alert(1));fill:red"/>',
  '<rect style="f\\69ll:url(http://evil.example)"/>',
  '<rect style="fill:u\\72l(http://evil.example)"/>',
  '<rect style="behavior:url(#x);-moz-binding:url(http://evil.example/x.xml#a)"/>',
  '<rect style="width:expression(alert(1))"/>',
  '<rect fill="image-set(url(x) 1x)"/>',
  '<rect mask="url(data:image/svg+xml,x#m)"/>',
  '<style>@import url(http://evil.example/x.css);</style>',
  '<style>@import "http://evil.example/x.css"; .a{fill:red}</style>',
  '<style>@font-face{font-family:x;src:url(http://evil.example/x)}</style>',
  '<style>.a{fill:url(http://evil.example/x)}</style>',
  '<style>*{background:url(http://evil.example)}</style>',
  '<style>.a{fill:red}</style><style>.b{}&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;</style>',
  '<style><![CDATA[</style><script>alert(1)</script>]]></style>',
  '<style>.a{font-family:"x;}*{background:url(http://evil.example)}"}</style>',
  '<title><![CDATA[</title><script>alert(1)</script>]]></title>',
  '<text>&lt;script&gt;alert(1)&lt;/script&gt;</text>',
  '<desc>]]&gt;<script>alert(1)</script></desc>',
  '<?xml-stylesheet href="http://evil.example/x.css"?>',
  '<iframe src="http://evil.example"/>',
  '<object data="x"/><embed src="x"/><audio src="x"/><video src="x"/><canvas/>',
  '<metadata><x:y xmlns:x="y" onload="alert(1)"/></metadata>',
  '<g xml:base="http://evil.example/"><use href="#a"/></g>',
  '<g id="&quot; onload=&quot;alert(1)"/>',
  '<g id="constructor" class="__proto__"/><g id="__proto__"/>',
  '<rect href="javascript:alert(1)"/>',
  '<linearGradient id="a" href="http://evil.example#b"/>',
  '<path d="M0 0" marker-end="url(&#39;http://evil.example/m#a&#39;)"/>',
];

const elements = new Set([
  ...[
    'svg',
    'g',
    'defs',
    'symbol',
    'use',
    'path',
    'rect',
    'circle',
    'ellipse',
    'line',
    'polyline',
    'polygon',
  ],
  ...['text', 'tspan', 'textPath', 'title', 'desc', 'style', 'linearGradient', 'radialGradient', 'stop'],
  ...['clipPath', 'mask', 'pattern', 'marker'],
]);

/** What is wrong with a drawing that should only draw, by a reading of its own. */
function faultsOf(text: string): readonly string[] {
  const faults: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('doctype', () => faults.push('doctype'));
  parser.on('comment', () => faults.push('comment'));
  parser.on('processinginstruction', () => faults.push('processing instruction'));
  parser.on('cdata', () => faults.push('cdata'));
  let inside = '';
  parser.on('opentag', ({ name, uri, attributes }) => {
    inside = name;
    if (!elements.has(name) || uri !== 'http://www.w3.org/2000/svg') faults.push(`<${name}>`);
    for (const { name: attribute, value } of Object.values(attributes)) {
      if (attribute === 'xmlns') continue;
      if (/^on|:|^src|^data/i.test(attribute)) faults.push(attribute);
      if (attribute === 'href' && !/^#[^\s#]+$/.test(value)) faults.push(`href ${value}`);
      if (attribute !== 'id' && attribute !== 'href') faults.push(...cssFaults(value));
    }
  });
  parser.on('text', (inner) => {
    if (inside === 'style') faults.push(...cssFaults(inner));
  });
  parser.write(text).close();
  return faults;
}

function cssFaults(css: string): readonly string[] {
  const withoutLocal = css.replace(/url\(#[^()\s"']+\)/g, '');
  return /url|[\\@<]|script|expression|\/\/|data:|import|behaviou?r|binding/i.test(withoutLocal) ? [css] : [];
}

describe('a drawing only draws', () => {
  test.each(attacks)('%s', async (attack) => {
    const { text } = await clean(svg(`<rect width="3" id="r"/>${attack}<circle r="2"/>`));
    expect(faultsOf(text)).toEqual([]);
    expect(text).toContain('<rect width="3" id="r"/>');
    expect(text).toContain('<circle r="2"/>');
    expect(await clean(text)).toMatchObject({ text, dropped: 0 });
  });

  test('the attacks are seen by the check of this test', () => {
    const seen = attacks.filter((attack) => faultsOf(svg(attack)).length > 0);
    expect(seen.length).toBeGreaterThan(40);
  });

  const piece = fc.oneof(
    fc.constantFrom(...attacks),
    fc.constantFrom(
      ...[
        '<g>',
        '</g>',
        '<a href="x">',
        '</a>',
        '<style>',
        '</style>',
        '<text>',
        '</text>',
        '<defs>',
        '</defs>',
      ],
      ...[
        '<![CDATA[',
        ']]>',
        '<!--',
        '-->',
        '&amp;',
        '&lt;',
        '"',
        "'",
        '>',
        '{',
        '}',
        ';',
        '/*',
        '*/',
        '.a{fill:',
      ],
      ...['url(', '#r)', 'x.y', '\\', 'javascript:', '<g id="a" style="fill:url(#a)">', '<use href="#r"/>'],
    ),
    fc.string({ maxLength: 8 }),
  );

  test('whatever is put together: refused in words, or nothing but drawing is left, and cleaning it again changes nothing', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const refused = await refusal(svg(pieces.join('')));
        if (refused !== 'taken') {
          expect(refused).toMatch(/SVG/);
          return;
        }
        taken++;
        const { text } = await clean(svg(pieces.join('')));
        expect(faultsOf(text)).toEqual([]);
        expect(await clean(text)).toMatchObject({ text, dropped: 0 });
      }),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});

describe('what draws stays', () => {
  test('shapes, transforms, presentation, gradients, text and local references are written as they came', async () => {
    const drawing = svg(
      [
        '<defs><linearGradient id="g1" gradientTransform="rotate(45)"><stop offset="0" stop-color="#fff"/></linearGradient></defs>',
        '<g transform="translate(10,20) scale(2)" fill="none" stroke="url(#g1) none">',
        '<path d="M0 0L10 10.5e-1z"/><use href="#g1" x="3"/></g>',
        '<text font-family="Noto Sans, &quot;Arial&quot;" font-size="12px">Dock &amp; <tspan>游戏</tspan></text>',
      ].join(''),
    );
    const { text, dropped } = await clean(drawing);
    expect(dropped).toBe(0);
    const told = drawing.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', '');
    expect(text).toBe(told.replace('viewBox="0 0 100 50"', 'viewBox="0 0 100 50" width="100" height="50"'));
  });

  test('style is kept for known properties, and style sheets for single classes', async () => {
    const { text, dropped } = await clean(
      svg(
        '<style>/* x */ .st0, .st1 {fill:none; stroke:#000 !important} @media print{.st0{fill:red}} #id{fill:red} .st2{clip-path:url(#c)}</style>' +
          '<rect class="st0 st2" style="fill: #ff0000; -inkscape-font:x; stroke-width:.5"/>',
      ),
    );
    expect(text).toContain('<style>.st0,.st1{fill:none;stroke:#000}.st2{clip-path:url(#c)}</style>');
    expect(text).toContain('<rect class="st0 st2" style="fill:#ff0000;stroke-width:.5"/>');
    expect(dropped).toBe(3);
  });

  test('links and choices are groups, prefixes and editors’ own data go', async () => {
    const { text } = await clean(
      '<s:svg xmlns:s="http://www.w3.org/2000/svg" xmlns:i="urn:i" width="2in" height="1in" i:version="1"><s:switch><s:foreignObject/><s:g i:layer="1"><s:line x1="1"/></s:g></s:switch><s:a><s:circle r="1"/></s:a></s:svg>',
    );
    expect(text).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="192" height="96" viewBox="0 0 192 96"><g><g><line x1="1"/></g></g><g><circle r="1"/></g></svg>',
    );
  });

  test('a DOCTYPE and comments go; one that declares entities is refused', async () => {
    const doctype =
      '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
    const { text, dropped } = await clean(`\uFEFF<?xml version="1.0"?>${doctype}<!-- x -->${svg('<rect/>')}`);
    expect([text.includes('DOCTYPE'), dropped]).toEqual([false, 1]);
    const bomb = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>';
    expect(await refusal(bomb + svg('<text>&b;</text>'))).toBe(
      'The SVG declares entities; save it without a DOCTYPE.',
    );
  });
});

describe('the size', () => {
  test.each([
    ['width="200" height="100"', [200, 100]],
    ['width="2in" height="1in" viewBox="0 0 4 2"', [192, 96]],
    ['width="100%" height="100%" viewBox="0,0,640,480"', [640, 480]],
    ['viewBox="-10 -10 1000000 500000"', [20000, 10000]],
    ['viewBox="0 0 .5 .25"', [2, 1]],
    ['width="210mm" height="297mm"', [793.701, 1122.52]],
  ])('%s is %j', async (attributes, size) => {
    const { width, height, text } = await clean(svg('', attributes));
    expect([width, height]).toEqual(size);
    expect(await clean(text)).toMatchObject({ width, height, text });
  });

  test.each([
    '',
    'width="100%"',
    'width="10"',
    'viewBox="0 0 0 10"',
    'viewBox="0 0 1e999 1"',
    'height="-1" width="3"',
  ])('an SVG with %j only has none, and is refused', async (attributes) => {
    expect(await refusal(svg('', attributes))).toMatch(/^The SVG has no size: it needs width and height/);
  });
});

describe('limits have names', () => {
  const doubling = (levels: number): string =>
    Array.from(
      { length: levels },
      (_, i) => `<g id="l${i}"><use href="#l${i + 1}"/><use href="#l${i + 1}"/></g>`,
    ).join('');
  test.each([
    [
      'a file that draws without end',
      svg(`${doubling(30)}<g id="l30"/>`),
      /draws more than 1000000 elements/,
    ],
    [
      'the same by classes',
      svg(
        `<style>${Array.from({ length: 30 }, (_, i) => `.c${i}{fill:url(#p${i + 1})}`).join('')}</style>` +
          Array.from(
            { length: 30 },
            (_, i) => `<pattern id="p${i}"><rect class="c${i}"/><rect class="c${i}"/></pattern>`,
          ).join(''),
      ),
      /draws more than/,
    ],
    [
      'one that refers to itself',
      svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
      /refers to itself/,
    ],
    ['depth', svg('<g>'.repeat(100) + '</g>'.repeat(100)), /nested deeper than 100/],
    ['depth in what is left out', svg('<x>'.repeat(100) + '</x>'.repeat(100)), /nested deeper than 100/],
    ['elements', svg('<g/>'.repeat(100_000)), /more than 100000 elements/],
    [
      'attributes',
      svg(`<g ${Array.from({ length: 300 }, (_, i) => `a${i}=""`).join(' ')}/>`),
      /more than 200 attributes/,
    ],
    ['what is no XML', '<svg', /cannot be read/],
    ['what is no SVG', '<html></html>', /The file is no SVG: it begins with html/],
    ['nothing', '', /cannot be read/],
    ['an entity nobody declared', svg('<text>&nbsp;</text>'), /undefined entity/],
    ['a name of the prototype as an entity', svg('<text>&constructor;</text>'), /undefined entity/],
  ])('%s', async (_, text, words) => {
    expect(await refusal(text)).toMatch(words);
  });

  test('bytes that are not UTF-8', async () => {
    await expect(sanitiseSvg(Buffer.from([0x3c, 0xff, 0xfe]))).rejects.toThrow('The SVG is not UTF-8.');
  });

  test('a class that refers to thousands of elements is counted once, however many elements have it', async () => {
    const rules = Array.from({ length: 2500 }, (_, i) => `.a{fill:url(#r${i})}`).join('');
    const elements = Array.from({ length: 10_000 }, (_, i) => `<g id="e${i}" class="a"/>`).join('');
    const text = svg(`<style>${rules}</style>`.repeat(20) + elements);
    // Counted for each element: 500 million steps.
    const before = process.cpuUsage();
    expect((await clean(text)).dropped).toBe(0);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(6000);
  }, 30_000);

  test('a class that uses an element of that class is one that refers to itself', async () => {
    const own = svg('<style>.a{fill:url(#p)}</style><pattern id="p"><rect class="a"/></pattern>');
    expect(await refusal(own)).toMatch(/refers to itself/);
  });

  test('eight megabytes of hostile values do not hold the event loop', async () => {
    const big = 'a'.repeat(900_000);
    const spaces = ' '.repeat(900_000);
    const values = ['d', 'class', 'style', 'id', 'fill', 'font-family', 'transform', 'viewBox'];
    const text = svg(values.map((name) => `<path ${name}="${name === 'style' ? spaces : big}("/>`).join(''));
    const held = await computingStallOf(async () => {
      expect((await clean(text)).dropped).toBe(values.length);
    });
    expect(held).toBeLessThan(250);
  });
});
