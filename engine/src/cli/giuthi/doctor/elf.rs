//! Where a program looks for the libraries it names: the run path in the dynamic section of an ELF file (System V ABI,
//! chapter 5), as the linker wrote it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Most bytes of a table of the file that are read.
const LARGEST_TABLE: u64 = 16 << 20;

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const DT_STRTAB: u64 = 5;
const DT_STRSZ: u64 = 10;
const DT_RPATH: u64 = 15;
const DT_RUNPATH: u64 = 29;

/// The folders of the run path of a 64-bit little-endian ELF file, with `$ORIGIN` put in. None for other files.
pub(super) fn run_path(path: &Path) -> Vec<PathBuf> {
    let origin = path.parent().unwrap_or(Path::new(".")).display().to_string();
    let text = File::open(path).and_then(|mut file| read(&mut file)).ok().flatten().unwrap_or_default();
    let folders = text.split(':').filter(|folder| !folder.is_empty());
    folders.map(|folder| folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin).into()).collect()
}

fn read(file: &mut (impl Read + Seek)) -> io::Result<Option<String>> {
    let head = table(file, 0, 64)?;
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let (offset, size, count) = (u64_at(&head, 32), u16_at(&head, 54), u16_at(&head, 56));
    if size < 56 {
        return Ok(None);
    }
    let headers = table(file, offset, u64::from(size) * u64::from(count))?;
    // Each with its kind, its place in the file, and the address and length of what is loaded from there.
    let segments: Vec<(u32, u64, u64, u64)> = headers
        .chunks_exact(usize::from(size))
        .map(|segment| (u32_at(segment, 0), u64_at(segment, 8), u64_at(segment, 16), u64_at(segment, 32)))
        .collect();
    let Some(&(_, offset, _, length)) = segments.iter().find(|segment| segment.0 == PT_DYNAMIC) else {
        return Ok(None);
    };
    let dynamic = table(file, offset, length)?;
    let entry = |wanted: u64| {
        let entries = dynamic.as_chunks::<16>().0;
        entries.iter().find(|entry| u64_at(*entry, 0) == wanted).map(|entry| u64_at(entry, 8))
    };
    let (Some(address), Some(length)) = (entry(DT_STRTAB), entry(DT_STRSZ)) else { return Ok(None) };
    // Newer run paths make the loader pass over older ones.
    let Some(at) = entry(DT_RUNPATH).or_else(|| entry(DT_RPATH)) else { return Ok(None) };
    let in_file = segments.iter().find_map(|&(kind, offset, start, length)| {
        let within = address.checked_sub(start).filter(|&within| within < length)?;
        (kind == PT_LOAD).then(|| offset.checked_add(within))?
    });
    let Some(offset) = in_file else { return Ok(None) };
    let strings = table(file, offset, length)?;
    let text = usize::try_from(at).ok().and_then(|at| strings.get(at..)).unwrap_or_default();
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(text).into_owned()))
}

fn table(file: &mut (impl Read + Seek), offset: u64, length: u64) -> io::Result<Vec<u8>> {
    if length > LARGEST_TABLE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = vec![0; length as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a header, two segments, a dynamic section and its strings, loaded at address 4096.
    fn file(tag: u64, text: &str) -> Vec<u8> {
        let mut bytes = vec![0; 64 + 2 * 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 2;
        let strings = [b"\0", text.as_bytes(), b"\0more\0"].concat();
        let dynamic = [[DT_STRTAB, 4096 + 64], [DT_STRSZ, strings.len() as u64], [tag, 1]];
        let (start, length) = (bytes.len() as u64, 48 + strings.len() as u64);
        // The strings are found by their address, 64 bytes into what is loaded.
        for (at, kind, offset, address, length) in
            [(64, PT_LOAD, start + 48 - 64, 4096u64, length + 64), (120, PT_DYNAMIC, start, 0, 48)]
        {
            bytes[at..][..4].copy_from_slice(&kind.to_le_bytes());
            for (field, number) in [(8, offset), (16, address), (32, length)] {
                bytes[at + field..][..8].copy_from_slice(&number.to_le_bytes());
            }
        }
        bytes.extend(dynamic.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(strings);
        bytes
    }

    #[test]
    fn the_run_path_is_found_by_its_address() {
        for tag in [DT_RPATH, DT_RUNPATH] {
            let bytes = file(tag, "/a/lib:$ORIGIN/../lib");
            let found = read(&mut io::Cursor::new(&bytes)).unwrap();
            assert_eq!(found.as_deref(), Some("/a/lib:$ORIGIN/../lib"));
        }
        assert_eq!(read(&mut io::Cursor::new(file(77, "/a"))).unwrap(), None);
    }

    #[test]
    fn cut_or_changed_files_do_no_harm() {
        let bytes = file(DT_RUNPATH, "/a/lib");
        for length in 0..bytes.len() {
            let _ = read(&mut io::Cursor::new(&bytes[..length]));
        }
        for at in 0..bytes.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = byte;
                let _ = read(&mut io::Cursor::new(&bytes));
            }
        }
    }

    #[test]
    fn folders_are_seen_from_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, file(DT_RUNPATH, "/a/lib:$ORIGIN/lib")).unwrap();
        assert_eq!(run_path(&path), [PathBuf::from("/a/lib"), folder.path().join("lib")]);
        assert!(run_path(&folder.path().join("none")).is_empty());
    }
}
