// Write sheet.md as a web page whose formulas are set in advance: `node writers.js KIND sheet.md page.html`.
const { readFileSync, writeFileSync } = require('fs')
const { execFileSync } = require('child_process')
const [, , kind, from, to] = process.argv
const node = process.env.NODE
const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

function katex(output) {
  const library = require(node + '/katex')
  const style = `<link rel="stylesheet" href="file://${node}/katex/dist/katex.min.css">`
  return [(tex, displayMode) => library.renderToString(tex, { displayMode, output }), () => style]
}

function mathjax(form) {
  const folder = node + '/mathjax-full/js/'
  const { mathjax } = require(folder + 'mathjax.js')
  const { TeX } = require(folder + 'input/tex.js')
  const { SVG } = require(folder + 'output/svg.js')
  const { CHTML } = require(folder + 'output/chtml.js')
  const { liteAdaptor } = require(folder + 'adaptors/liteAdaptor.js')
  const { RegisterHTMLHandler } = require(folder + 'handlers/html.js')
  const adaptor = liteAdaptor()
  RegisterHTMLHandler(adaptor)
  const OutputJax = form === 'svg' ? new SVG({ fontCache: 'none' }) : new CHTML({ fontURL: 'fonts' })
  const page = mathjax.document('', { InputJax: new TeX(), OutputJax })
  return [(tex, display) => adaptor.outerHTML(page.convert(tex, { display })),
    () => `<style>${adaptor.textContent(OutputJax.styleSheet(page))}</style>`]
}

const [formula, style] = { katex: () => katex('htmlAndMathml'), 'katex-html': () => katex('html'),
  'mathjax-svg': () => mathjax('svg'), 'mathjax-chtml': () => mathjax('chtml') }[kind]()
// With --katex, pandoc leaves the TeX of each formula in a span of its own.
const page = execFileSync('pandoc', [from, '-s', '-t', 'html', '--katex=none'], { encoding: 'utf8' })
  .replace(/<script[\s\S]*?<\/script>/g, '').replace(/<link[^>]*none[^>]*>/g, '')
  .replace(/<span class="math (inline|display)">([\s\S]*?)<\/span>/g, (_, place, tex) =>
    formula(tex.replace(/&(lt|gt|amp);/g, entity => entities[entity]), place === 'display'))
writeFileSync(to, page.replace('</head>', style() + '\n</head>'))
