//! Projects of others, run as scenarios: [`jettison_p4_projects`] reads them.

use std::path::Path;

use jettison_p4_projects::{Options, Project, ProjectErrors};
use jettison_scenario::{Changes, CheckError, Folder, Place, Registries, Scenario, ScenarioError, WithData};

/// Reads a project, and the scenario that it describes.
///
/// # Errors
/// If the project or its programs are invalid.
pub fn load_project(
    path: &Path,
    options: &Options,
    data: Option<&Path>,
    changes: &Changes,
    registries: &Registries,
) -> Result<(Scenario, Project), CheckError> {
    let project = jettison_p4_projects::read(path, options).map_err(as_check_error)?;
    let files = WithData::new(Folder(project.folder.clone()), data.map(Path::to_path_buf));
    // Programs of a live run start in the folder of the scenario's file.
    let shown = match project.file.file_name() {
        Some(name) => project.folder.join(name).display().to_string(),
        None => project.file.display().to_string(),
    };
    let parsed = Scenario::parse(&project.text, &shown, &files, changes, registries);
    let scenario = parsed.map_err(|mut error| {
        // Lines of the generated text are of no use to a reader of the project.
        for place in error.errors.iter_mut().map(|error| &mut error.place) {
            if matches!(place, Place::Line { file, .. } if *file == shown) {
                *place = Place::WholeFile { file: project.file.display().to_string() };
            }
        }
        error
    })?;
    Ok((scenario, project))
}

fn as_check_error(errors: ProjectErrors) -> CheckError {
    let errors = errors.0.into_iter().map(|error| {
        let file = error.file.display().to_string();
        let place = match error.position {
            Some((line, column)) => Place::Line { file, line, column },
            None => Place::WholeFile { file },
        };
        let message = match error.key.as_str() {
            "" => error.message,
            key => format!("`{key}`: {}", error.message),
        };
        ScenarioError { place, message, help: error.help }
    });
    CheckError { errors: errors.collect() }
}
