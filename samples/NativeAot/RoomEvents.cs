using System.Globalization;
using System.Threading.Tasks;

namespace NativeAot;

internal sealed class RoomEvents : IRoomEvents
{
    public ValueTask<string> AnswerAsync(Reading about) => new(about.Celsius.ToString(CultureInfo.InvariantCulture) + " in the " + about.Room);
}
