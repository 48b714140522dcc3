using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Ipc.Tool;

/// <summary>A listener, docs/wire-format.md section 5.</summary>
internal static class ListenerInspector
{
    private static readonly string[] s_states = ["idle", "opening", "requested", "attached"];

    public static void Read(RegionLook look, RegionReport report)
    {
        ListenerHeader header = look.Read<ListenerHeader>(look.Body, "a listener's header");
        KindInspector.CheckMagic(header.Magic, ListenerHeader.MagicValue, "listener");
        int count = look.Geometry.ParticipantCapacity;
        if (header.SlotCount != count || count == 0 || count % 64 != 0)
            throw new DamageException($"{header.SlotCount} slots for {count} participants; as many were expected, a multiple of 64");

        byte[] table = new byte[count * ListenerSlot.ByteSize], ready = new byte[count / 8];
        look.Read(header.SlotsOffset, table, "the slots of a listener");
        look.Read(header.ReadyOffset, ready, "the ready bits of a listener");
        List<ListenerSlotReport> slots = [];
        var participants = report.Participants.ToDictionary(static p => p.Index);
        for (int index = 0; index < count; index++)
        {
            var slot = MemoryMarshal.Read<ListenerSlot>(System.MemoryExtensions.AsSpan(table, index * ListenerSlot.ByteSize));
            if (slot.Word == ListenerSlot.Idle)
                continue;
            ulong state = ListenerSlot.StateOf(slot.Word);
            ParticipantReport? client = participants.GetValueOrDefault(index);
            if (state > ListenerSlot.Attached)
                report.Damage.Add($"slot {index}: state {state}; at most 3 was expected");
            else
                slots.Add(new ListenerSlotReport(index, s_states[(int)state], $"{ListenerSlot.IdOf(slot.Word):x16}", client?.Pid ?? 0, client?.Alive ?? false));
        }

        ParticipantReport? server = report.Participants.FirstOrDefault(static p => p.Index == 0);
        if (server is null || !server.Alive)
            report.Notes.Add("its server is dead: the next server of this name replaces it");
        int attached = slots.Count(static slot => slot.State == "attached");
        report.Depth = attached;
        ConnectionProtocol speaks = ConnectionProtocol.Of(header.Protocol);
        string service = speaks.Id switch { 0 => "", ConnectionProtocol.Calls => "calls, ", ConnectionProtocol.Bytes => "bytes, ", _ => $"protocol {speaks.Id}, " };
        report.DepthText = service + Human.Some(attached, "client");
        report.Listener = new ListenerReport
        {
            Server = header.ServerState switch { ListenerHeader.Open => "open", ListenerHeader.Closed => "closed", ListenerHeader.Followed => "followed", _ => $"state {header.ServerState}, which is none" },
            Speaks = speaks.Id == 0 ? null : speaks.ToString(),
            SpeaksCalls = speaks.Id == ConnectionProtocol.Calls,
            SlotCount = count,
            MaxRingCapacity = header.MaxRingCapacity,
            Ready = ready.Sum(static bits => BitOperations.PopCount(bits)),
            Slots = slots,
            Doorbell = WaiterReport.Of(header.Doorbell),
        };
    }
}
