//! Statements: what they add to the known classes, multiclasses and records.

use super::draft::Draft;
use super::{Binding, Evaluator, KnownClass, Scope, Surroundings};
use crate::error::{Error, Location};
use crate::record::{RecordId, Value};
use crate::syntax::*;
use crate::text::Text;
use std::collections::BTreeSet;

impl<'t> Evaluator<'t> {
    pub(super) fn run(&mut self, statements: &'t [Statement], outer: &Surroundings<'t>) -> Result<(), Error> {
        statements.iter().try_for_each(|statement| self.statement(statement, outer))
    }

    fn statement(&mut self, statement: &'t Statement, outer: &Surroundings<'t>) -> Result<(), Error> {
        match statement {
            Statement::Class(class) => self.class(class, outer),
            Statement::Def(def) => self.def(def, outer),
            Statement::Multiclass(multiclass) => {
                let known = self.multiclasses.insert(&multiclass.name, multiclass);
                redefinition("multiclass", &multiclass.name, &multiclass.location, known.map(|old| &old.location))
            }
            Statement::Defm(defm) => self.defm(defm, outer),
            Statement::Scoped { lets, statements } => {
                let mut inner = outer.clone();
                inner.lets.extend(lets.iter().map(|assignment| Binding { assignment, scope: outer.scope.clone() }));
                // The nesting of lets is that of brackets, which the scan has bounded.
                self.run(statements, &inner)
            }
        }
    }

    /// Makes a class known, after what can be checked without arguments.
    fn class(&mut self, class: &'t Class, outer: &Surroundings<'t>) -> Result<(), Error> {
        let mut fields = BTreeSet::new();
        for base in &class.bases {
            let known = self.known_class(&base.name, &base.location)?;
            fields.extend(known.fields.iter().copied());
        }
        // The class may name itself as a type, but not as a base.
        let known = KnownClass { class, lets: outer.lets.clone(), fields: fields.clone() };
        let old = self.classes.insert(&class.name, known);
        redefinition("class", &class.name, &class.location, old.map(|old| &old.class.location))?;
        class.parameters.iter().try_for_each(|parameter| self.known_type(&parameter.ty, &parameter.location))?;
        let unknown = |name: &str, location: &Location| {
            Err(Error::new(location, format!("unknown field '{name}' in class '{}'", class.name)))
        };
        for Binding { assignment, .. } in &outer.lets {
            if !fields.contains(assignment.name.as_str()) {
                return unknown(&assignment.name, &assignment.location);
            }
        }
        for item in &class.items {
            match item {
                Item::Field { ty, name, location, .. } => {
                    self.known_type(ty, location)?;
                    fields.insert(name);
                }
                Item::Let(Assignment { name, location, .. }) if !fields.contains(name.as_str()) => {
                    return unknown(name, location);
                }
                Item::Let(_) => {}
            }
        }
        self.classes.get_mut(class.name.as_str()).expect("the class was just made known").fields = fields;
        Ok(())
    }

    pub(super) fn known_class(&self, name: &str, location: &Location) -> Result<&KnownClass<'t>, Error> {
        self.classes.get(name).ok_or_else(|| Error::new(location, format!("unknown class '{name}'")))
    }

    fn known_type(&self, ty: &Type, location: &Location) -> Result<(), Error> {
        match ty {
            Type::Class(name) => self.known_class(name, location).map(|_| ()),
            Type::List(element) => self.known_type(element, location),
            _ => Ok(()),
        }
    }

    fn def(&mut self, def: &'t Def, outer: &Surroundings<'t>) -> Result<(), Error> {
        let name = match &def.name {
            Some(name) => Some(self.record_name(name, outer)?),
            None => None,
        };
        let mut draft = Draft::new(name.as_deref().unwrap_or("an anonymous record"), &def.location);
        for base in &def.bases {
            let arguments = self.arguments(base, &outer.scope, &mut draft)?;
            self.inherit(&base.name, &base.location, arguments, &mut draft)?;
        }
        for binding in &outer.lets {
            draft.assign(binding.assignment, &binding.scope)?;
        }
        for item in &def.items {
            if let Item::Field { ty, location, .. } = item {
                self.known_type(ty, location)?;
            }
            draft.add(item, &outer.scope)?;
        }
        self.keep(draft, name).map(|_| ())
    }

    /// Resolves a draft and makes its record known; without a name, makes one up.
    pub(super) fn keep(&mut self, draft: Draft<'t>, name: Option<String>) -> Result<RecordId, Error> {
        let mut record = self.finish(draft)?;
        record.anonymous = name.is_none();
        record.name = name.unwrap_or_else(|| {
            self.anonymous += 1;
            format!("anonymous_{}", self.anonymous - 1)
        });
        let id = RecordId(self.records.records.len());
        let old = self.names.insert(record.name.clone(), id).map(|old| self.records.get(old).location.clone());
        redefinition("record", &record.name, &record.location, old.as_ref())?;
        self.records.records.push(record);
        Ok(id)
    }

    fn defm(&mut self, defm: &'t Defm, outer: &Surroundings<'t>) -> Result<(), Error> {
        let prefix = self.record_name(&defm.name, outer)?;
        for base in &defm.bases {
            let Some(multiclass) = self.multiclasses.get(base.name.as_str()).copied() else {
                return Err(Error::new(&base.location, format!("unknown multiclass '{}'", base.name)));
            };
            let mut none = Draft::new(&prefix, &defm.location);
            let mut values = self.bind(
                &base.name,
                &multiclass.parameters,
                &base.arguments,
                &base.location,
                &outer.scope,
                &mut none,
            )?;
            values.push(("NAME".into(), Value::String(Text::new(prefix.clone(), &defm.location))));
            let inner = Surroundings {
                scope: Scope::parameters(values),
                lets: outer.lets.clone(),
                prefix: Some(prefix.clone()),
            };
            self.deeper(&base.location, |evaluator| evaluator.run(&multiclass.statements, &inner))?;
        }
        Ok(())
    }

    /// The name of a definition: a word stands for itself unless it is a parameter. In a multiclass the name of the
    /// `defm` comes before it, unless `NAME` says where.
    fn record_name(&mut self, name: &'t Expr, outer: &Surroundings<'t>) -> Result<String, Error> {
        let parts = match &name.kind {
            ExprKind::Paste(parts) => parts.as_slice(),
            _ => std::slice::from_ref(name),
        };
        let mut text = String::new();
        let mut placed = false;
        let mut none = Draft::new("a name", &name.location);
        for part in parts {
            match &part.kind {
                ExprKind::Name(word) if outer.scope.find(word, false).is_none() => text.push_str(word),
                _ => {
                    placed |= matches!(&part.kind, ExprKind::Name(word) if word == "NAME");
                    let value = self.eval(part, None, &outer.scope, &mut none)?;
                    text.push_str(&self.display(&value, &part.location)?);
                }
            }
        }
        match &outer.prefix {
            Some(prefix) if !placed => Ok(format!("{prefix}{text}")),
            _ => Ok(text),
        }
    }
}

fn redefinition(kind: &str, name: &str, location: &Location, old: Option<&Location>) -> Result<(), Error> {
    match old {
        None => Ok(()),
        Some(old) => Err(Error::new(location, format!("{kind} '{name}' is already defined")).note(old, "defined here")),
    }
}
