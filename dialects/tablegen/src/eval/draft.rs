//! A record under construction: first its classes, fields and lets are gathered, then every field is resolved.
//!
//! Resolving comes last because a field may name another one, which a later let still changes.

use super::{Evaluator, Scope};
use crate::error::{Error, Location};
use crate::record::{Field, Record, Value};
use crate::syntax::*;
use indexmap::IndexMap;
use std::rc::Rc;

pub(super) struct Draft<'t> {
    name: String,
    location: Location,
    classes: Vec<String>,
    slots: IndexMap<&'t str, Slot<'t>>,
}

struct Slot<'t> {
    ty: &'t Type,
    location: &'t Location,
    value: Option<(&'t Expr, Rc<Scope>)>,
    state: State,
}

enum State {
    Waiting,
    Resolving,
    Resolved(Value),
}

impl<'t> Draft<'t> {
    pub(super) fn new(name: &str, location: &Location) -> Self {
        Self { name: name.to_string(), location: location.clone(), classes: Vec::new(), slots: IndexMap::new() }
    }

    /// A line of a body.
    pub(super) fn add(&mut self, item: &'t Item, scope: &Rc<Scope>) -> Result<(), Error> {
        let (ty, name, value, location) = match item {
            Item::Let(assignment) => return self.assign(assignment, scope),
            Item::Field { ty, name, value, location } => (ty, name, value, location),
        };
        if let Some(old) = self.slots.get(name.as_str())
            && old.ty != ty
        {
            let message = format!("field '{name}' of type '{ty}' is already declared with type '{}'", old.ty);
            return Err(Error::new(location, message).note(old.location, "declared here"));
        }
        let value = value.as_ref().map(|value| (value, scope.clone()));
        self.slots.insert(name, Slot { ty, location, value, state: State::Waiting });
        Ok(())
    }

    pub(super) fn assign(&mut self, assignment: &'t Assignment, scope: &Rc<Scope>) -> Result<(), Error> {
        let Some(slot) = self.slots.get_mut(assignment.name.as_str()) else {
            let message = format!("unknown field '{}' in '{}'", assignment.name, self.name);
            return Err(Error::new(&assignment.location, message));
        };
        slot.location = &assignment.location;
        slot.value = Some((&assignment.value, scope.clone()));
        Ok(())
    }

    pub(super) fn has(&self, field: &str) -> bool {
        self.slots.contains_key(field)
    }
}

impl<'t> Evaluator<'t> {
    /// Adds a class, its bases first.
    pub(super) fn inherit(
        &mut self,
        name: &str,
        location: &Location,
        arguments: Vec<(String, Value)>,
        draft: &mut Draft<'t>,
    ) -> Result<(), Error> {
        let known = self.known_class(name, location)?;
        let (class, lets) = (known.class, known.lets.clone());
        let scope = Scope::parameters(arguments);
        for base in &class.bases {
            let arguments = self.arguments(base, &scope, draft)?;
            self.deeper(&base.location, |evaluator| evaluator.inherit(&base.name, &base.location, arguments, draft))?;
        }
        lets.iter().try_for_each(|binding| draft.assign(binding.assignment, &binding.scope))?;
        class.items.iter().try_for_each(|item| draft.add(item, &scope))?;
        draft.classes.push(class.name.clone());
        Ok(())
    }

    /// The values of a base's template parameters.
    pub(super) fn arguments(
        &mut self,
        base: &'t Base,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Vec<(String, Value)>, Error> {
        let class = self.known_class(&base.name, &base.location)?.class;
        self.bind(&base.name, &class.parameters, &base.arguments, &base.location, scope, draft)
    }

    /// Binds arguments to parameters; a default may use the parameters before it.
    pub(super) fn bind(
        &mut self,
        class: &str,
        parameters: &'t [Parameter],
        arguments: &'t [Argument],
        location: &Location,
        scope: &Rc<Scope>,
        draft: &mut Draft<'t>,
    ) -> Result<Vec<(String, Value)>, Error> {
        let mut given: Vec<Option<&'t Expr>> = vec![None; parameters.len()];
        for (position, argument) in arguments.iter().enumerate() {
            let place = &argument.value.location;
            let index = match &argument.name {
                None => position,
                Some(name) => parameters
                    .iter()
                    .position(|parameter| parameter.name == *name)
                    .ok_or_else(|| Error::new(place, format!("'{class}' has no parameter '{name}'")))?,
            };
            let Some(slot) = given.get_mut(index) else {
                let (takes, found) = (parameters.len(), arguments.len());
                return Err(Error::new(place, format!("'{class}' takes at most {takes} arguments, found {found}")));
            };
            if slot.replace(&argument.value).is_some() {
                let name = &parameters[index].name;
                return Err(Error::new(place, format!("'{class}' gets its parameter '{name}' twice")));
            }
        }
        let mut values = Vec::with_capacity(parameters.len());
        for (parameter, argument) in parameters.iter().zip(given) {
            let what = format!("parameter '{}' of '{class}'", parameter.name);
            let value = match (argument, &parameter.default) {
                (Some(argument), _) => self.typed(argument, &parameter.ty, &what, scope, draft)?,
                (None, Some(default)) => {
                    let earlier = Scope::parameters(values.clone());
                    let mut none = Draft::new(class, location);
                    self.typed(default, &parameter.ty, &what, &earlier, &mut none)?
                }
                (None, None) => return Err(Error::new(location, format!("no value for {what}"))),
            };
            values.push((parameter.name.clone(), value));
        }
        Ok(values)
    }

    /// The value of a field of the draft.
    pub(super) fn field(&mut self, name: &str, location: &Location, draft: &mut Draft<'t>) -> Result<Value, Error> {
        let (index, _, slot) = draft.slots.get_full_mut(name).expect("the caller has found the field");
        let value = slot.value.clone();
        let ty = slot.ty;
        match std::mem::replace(&mut slot.state, State::Resolving) {
            State::Resolved(value) => {
                slot.state = State::Resolved(value.clone());
                return Ok(value);
            }
            State::Resolving => return Err(Error::new(location, format!("field '{name}' depends on itself"))),
            State::Waiting => {}
        }
        let value = match value {
            None => Value::Unset,
            Some((expr, scope)) => self.typed(expr, ty, &format!("field '{name}'"), &scope, draft)?,
        };
        draft.slots[index].state = State::Resolved(value.clone());
        Ok(value)
    }

    /// Resolves every field. The record has the name of the draft.
    pub(super) fn finish(&mut self, mut draft: Draft<'t>) -> Result<Record, Error> {
        let names: Vec<&'t str> = draft.slots.keys().copied().collect();
        let mut fields = IndexMap::with_capacity(names.len());
        for name in names {
            let location = draft.location.clone();
            let value = self.field(name, &location, &mut draft)?;
            let slot = &draft.slots[name];
            fields.insert(name.to_string(), Field { ty: slot.ty.clone(), value, location: slot.location.clone() });
        }
        let Draft { name, location, classes, .. } = draft;
        Ok(Record { name, anonymous: false, location, classes, fields })
    }
}
