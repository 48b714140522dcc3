using System.Collections.Generic;
using System.Linq;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Ipc.Tool;

/// <summary>Tames what is drawn: the texts alone, and not the colours and movements that the console itself puts around them.</summary>
internal sealed class TameTables : IRenderHook
{
    public IEnumerable<IRenderable> Process(RenderOptions options, IEnumerable<IRenderable> renderables) => renderables.Select(static one => new Tamed(one));

    private sealed class Tamed(IRenderable inner) : IRenderable
    {
        public Spectre.Console.Rendering.Measurement Measure(RenderOptions options, int maxWidth) => inner.Measure(options, maxWidth);

        public IEnumerable<Segment> Render(RenderOptions options, int maxWidth) => inner.Render(options, maxWidth).Select(static segment =>
            segment.IsControlCode || segment.IsLineBreak ? segment : new Segment(Tame.Line(segment.Text), segment.Style));
    }
}
