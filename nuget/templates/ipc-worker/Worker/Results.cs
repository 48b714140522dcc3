namespace IpcWorker._1;

/// <summary>A file for each job that is done: it is there as a whole or not at all, whenever the process is killed.</summary>
public sealed class Results(string folder)
{
    public bool Has(Guid job) => File.Exists(FileOf(job));

    public void Put(Guid job, string result)
    {
        Directory.CreateDirectory(folder);
        string unfinished = $"{FileOf(job)}.{Environment.ProcessId}";
        File.WriteAllText(unfinished, result + "\n");
        File.Move(unfinished, FileOf(job), overwrite: true);
    }

    private string FileOf(Guid job) => Path.Combine(folder, $"{job}.txt");
}
