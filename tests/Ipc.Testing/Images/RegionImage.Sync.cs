namespace Ipc.Testing.Images;

/// <summary>Mutexes, semaphores and events.</summary>
public static partial class RegionImage
{
    /// <summary>A mutex of that owner (participant index + 1), which nobody is attached to.</summary>
    public static Image Mutex(uint owner)
    {
        Image image = Sync(Wire.Region.KindMutex, Wire.Sync.MutexMagic, out int body);
        image[body + Wire.Sync.Word] = owner;
        return image;
    }

    /// <summary>A semaphore with these words in its table. How many are marked as abandoned is what it says.</summary>
    public static Image Semaphore(params uint[] permits)
    {
        Image image = Sync(Wire.Region.KindSemaphore, Wire.Sync.SemaphoreMagic, out int body);
        image[body + Wire.Sync.Permits] = (uint)permits.Length;
        for (int i = 0; i < permits.Length; i++)
        {
            image[body + Wire.Sync.PermitTable + i * sizeof(uint)] = permits[i];
            if (permits[i] == Wire.Sync.MutexAbandoned)
                image[body + Wire.Sync.Word]++;
        }

        return image;
    }

    public static Image Event(bool manual, bool set)
    {
        Image image = Sync(Wire.Region.KindEvent, Wire.Sync.EventMagic, out int body);
        image[body + Wire.Sync.Manual] = manual ? 1u : 0;
        image[body + Wire.Sync.Word] = set ? 1u : 0;
        return image;
    }

    private static Image Sync(uint kind, uint magic, out int body)
    {
        const int Participants = 8;
        body = Image.Align(Wire.Region.Participants + Wire.Participant.Size * Participants, 128);
        Image image = Header(kind, Participants, body, Wire.Page - body, Wire.Page, persistent: true);
        image[body + Wire.Sync.Magic] = magic;
        return image;
    }
}
