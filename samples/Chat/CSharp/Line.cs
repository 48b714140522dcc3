using System;

namespace Chat;

/// <summary>What was said.</summary>
/// <param name="Seat">Whose: the client's name of the conversation.</param>
/// <param name="Conversation">Another one of the same seat counts its messages anew.</param>
/// <param name="Number">Of the message in which it came; 0: the room says it.</param>
/// <param name="Name">Who said it.</param>
/// <param name="Text">Without tabs and ends of lines.</param>
internal readonly record struct Line(string Seat, Guid Conversation, long Number, string Name, string Text);
